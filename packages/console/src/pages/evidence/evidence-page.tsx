/** Checks a pack of evidence, in the browser: what was checked, what failed, and where. */
import { Button, Progress } from '@mantine/core'
import type { PackVerification } from '@sallyport/evidence-pack'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { TextField } from '../../design/form/fields.tsx'
import { FilePlace } from '../../design/form/file-place.tsx'
import { bytesWords } from '../../design/number.ts'
import { Page, Panel } from '../../design/page/panel.tsx'
import type { FileCheck } from './check-file.ts'
import { CheckedPack } from './checked-pack.tsx'
import classes from './evidence.module.css'
import { useEvidenceKey } from './use-evidence-key.ts'

const FINGERPRINT = /^sha256:[0-9a-f]{64}$/

export function EvidencePage() {
  const ownKey = useEvidenceKey()
  const [typed, setTyped] = useState<string | null>(null)
  const [file, setFile] = useState<File | null>(null)
  const expected = (typed ?? ownKey.data ?? '').trim().toLowerCase()
  const isFingerprint = expected === '' || FINGERPRINT.test(expected)
  return (
    <Page
      title="Check evidence"
      lead="A pack is checked here in your browser: the file goes nowhere, and the same code checks it as in sallyport evidence verify."
    >
      <Panel title="Evidence pack">
        <div className={classes.stack}>
          <FilePlace file={file} onFile={setFile} accept=".tar" />
          <TextField
            label="Fingerprint of the expected signing key"
            description="This installation's key by default. Enter another installation's fingerprint to check its packs, or leave empty for any key."
            classNames={{ input: 'mono' }}
            maxLength={80}
            value={typed ?? ownKey.data ?? ''}
            onText={setTyped}
            error={isFingerprint ? null : 'It is sha256: and 64 hexadecimal digits.'}
          />
        </div>
      </Panel>
      {file && isFingerprint ? (
        <CheckOfFile key={expected} file={file} fingerprint={expected} ownKey={ownKey.data ?? ''} />
      ) : null}
    </Page>
  )
}

/** Begins at once, and anew with another file. */
function CheckOfFile(props: { readonly file: File; readonly fingerprint: string; readonly ownKey: string }) {
  const { file, fingerprint, ownKey } = props
  const running = useRef<AbortController | null>(null)
  const [bytes, setBytes] = useState(0)
  const checking = useMutation<PackVerification, Error, Omit<FileCheck, 'onProgress'>>({
    // It asks nobody, so it does not wait until the browser counts as online.
    networkMode: 'always',
    mutationFn: async (check) => {
      const { checkFile } = await import('./check-file.ts')
      return checkFile({ ...check, onProgress: setBytes })
    },
  })
  const { mutate } = checking
  useEffect(() => {
    const controller = new AbortController()
    running.current = controller
    setBytes(0)
    mutate({ file, fingerprint, signal: controller.signal })
    return () => controller.abort()
  }, [mutate, file, fingerprint])
  if (checking.data) return <CheckedPack pack={checking.data} ownKey={ownKey} />
  return (
    <Panel title="What was checked">
      {checking.error ? (
        <div role="alert">
          {running.current?.signal.aborted ? 'The check was cancelled.' : checking.error.message}
        </div>
      ) : (
        <div className={classes.stack} role="status">
          <span>
            {bytesWords(bytes)} of {bytesWords(file.size)} checked
          </span>
          <Progress value={(100 * bytes) / Math.max(file.size, 1)} aria-label="Checked" />
          <Button variant="default" onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        </div>
      )}
    </Panel>
  )
}
