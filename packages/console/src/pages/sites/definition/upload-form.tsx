/** Uploads a document: a file that is chosen or dropped, or pasted text. What is wrong with it is said with its place. */
import { Button, FileButton, Textarea } from '@mantine/core'
import type { FieldError } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { problemOf } from '../../../api/error-words.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { Form, FormEnd } from '../../../design/form/form.tsx'
import { isolated } from '../../../design/isolated.ts'
import { bytesWords } from '../../../design/number.ts'
import classes from './definition.module.css'
import { placeWords } from './document-words.ts'

/** What the API takes; a file beyond it is not read. */
const BYTES_MAX = 16 * 1024 * 1024

export function UploadForm(props: {
  readonly siteId: string
  readonly isFirst: boolean
  readonly onDone: () => void
}) {
  const { siteId, onDone } = props
  const { api } = useServices()
  const notices = useNotices()
  const queryClient = useQueryClient()
  const [name, setName] = useState(props.isFirst ? 'main' : '')
  const [file, setFile] = useState<File | null>(null)
  const [pasted, setPasted] = useState('')
  const upload = useMutation({
    mutationFn: async () => {
      if (file && file.size > BYTES_MAX) throw new Error(`The file is larger than ${bytesWords(BYTES_MAX)}.`)
      const text = file ? await file.text() : pasted
      await api.upload('sitesSetDocument', { params: { id: siteId }, query: { name } }, text)
    },
    onSuccess: () => {
      notices.done('The document is uploaded.')
      onDone()
      return queryClient.invalidateQueries({ queryKey: ['sites', siteId] })
    },
  })
  const faults = problemOf(upload.error)?.errors ?? []
  return (
    <Form onSubmit={upload.mutate}>
      <TextField
        label="Name"
        description="main is what researchers read. A name that is there already gets a new version."
        required
        data-autofocus
        maxLength={64}
        value={name}
        onText={setName}
      />
      <FilePlace file={file} onFile={setFile} />
      <Textarea
        label="Or paste it"
        description="OpenAPI or Swagger as JSON or YAML, or a GraphQL schema"
        classNames={{ input: 'mono' }}
        rows={6}
        disabled={file !== null}
        value={pasted}
        onChange={(event) => setPasted(event.currentTarget.value)}
      />
      {faults.length > 0 ? <Faults faults={faults} /> : null}
      <FormEnd
        action="Upload"
        isPending={upload.isPending}
        disabled={name === '' || (file === null && pasted.trim() === '')}
        error={faults.length > 0 ? undefined : upload.error}
      />
    </Form>
  )
}

/** A place for a file: dropped there, or chosen. */
function FilePlace(props: { readonly file: File | null; readonly onFile: (file: File | null) => void }) {
  const { file, onFile } = props
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    onFile(event.dataTransfer.files[0] ?? null)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse alone; the button does the same
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {file ? (
        <>
          <span>
            <strong>{isolated(file.name)}</strong> {bytesWords(file.size)}
          </span>
          <Button variant="default" onClick={() => onFile(null)}>
            Take it out
          </Button>
        </>
      ) : (
        <>
          <span className="soft">Drop a file here, or</span>
          <FileButton accept=".json,.yaml,.yml,.graphql,.graphqls,.gql" onChange={onFile}>
            {(button) => (
              <Button variant="default" {...button}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </>
      )}
    </div>
  )
}

function Faults({ faults }: { readonly faults: readonly FieldError[] }) {
  return (
    <div role="alert" className={classes.faults}>
      <strong>The document is not as it should be</strong>
      <ul>
        {faults.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>{isolated(placeWords(path))}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
