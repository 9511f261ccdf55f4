/** Checks a pack of evidence, in the browser: what was checked, what failed, and where. */
import { Button, Progress } from '@mantine/core'
import type { PackVerification } from '@sallyport/evidence-pack'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { TextField } from '../../design/form/fields.tsx'
import { FilePlace } from '../../design/form/file-place.tsx'
import { Page, Panel } from '../../design/page/panel.tsx'
import type { FileCheck } from './check-file.ts'
import { CheckedPack } from './checked-pack.tsx'
import classes from './evidence.module.css'
import { texts } from './texts.ts'
import { useEvidenceKey } from './use-evidence-key.ts'

const FINGERPRINT = /^sha256:[0-9a-f]{64}$/

export function EvidencePage() {
  const ownKey = useEvidenceKey()
  const [typed, setTyped] = useState<string | null>(null)
  const [file, setFile] = useState<File | null>(null)
  const expected = (typed ?? ownKey.data ?? '').trim().toLowerCase()
  const isFingerprint = expected === '' || FINGERPRINT.test(expected)
  return (
    <Page title={texts.checkEvidence} lead={texts.checkEvidenceLead}>
      <Panel title={texts.evidencePack}>
        <div className={classes.stack}>
          <FilePlace file={file} onFile={setFile} accept=".tar" />
          <TextField
            label={texts.fingerprintOfTheExpected}
            description={texts.fingerprintOfTheExpectedHint}
            classNames={{ input: 'mono' }}
            maxLength={80}
            value={typed ?? ownKey.data ?? ''}
            onText={setTyped}
            error={isFingerprint ? null : texts.fingerprintOfTheExpectedProblem}
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
    <Panel title={texts.whatWasChecked}>
      {checking.error ? (
        <div role="alert">
          {running.current?.signal.aborted ? texts.theCheckWasCancelled : checking.error.message}
        </div>
      ) : (
        <div className={classes.stack} role="status">
          <span>{texts.ofChecked(bytes, file.size)}</span>
          <Progress value={(100 * bytes) / Math.max(file.size, 1)} aria-label={texts.checked} />
          <Button variant="default" onClick={() => running.current?.abort()}>
            {texts.cancel}
          </Button>
        </div>
      )}
    </Panel>
  )
}
