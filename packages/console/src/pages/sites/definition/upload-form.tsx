/** Uploads a document: a file that is chosen or dropped, or pasted text. What is wrong with it is said with its place. */
import { Textarea } from '@mantine/core'
import type { FieldError } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { problemOf } from '../../../api/error-words.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { FilePlace } from '../../../design/form/file-place.tsx'
import { Form, FormEnd } from '../../../design/form/form.tsx'
import { isolated } from '../../../design/isolated.ts'
import classes from './definition.module.css'
import { placeWords } from './document-words.ts'
import { texts } from './texts.ts'

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
      if (file && file.size > BYTES_MAX) throw new Error(texts.theFileIsLarger(BYTES_MAX))
      const text = file ? await file.text() : pasted
      await api.upload('sitesSetDocument', { params: { id: siteId }, query: { name } }, text)
    },
    onSuccess: async () => {
      notices.done(texts.theDocumentIsUploaded)
      onDone()
      const queryKey = ['sites', siteId]
      // A first answer that is still on its way would be kept, though it may be of the version before.
      await queryClient.cancelQueries({ queryKey })
      await queryClient.invalidateQueries({ queryKey })
    },
  })
  const faults = problemOf(upload.error)?.errors ?? []
  return (
    <Form onSubmit={upload.mutate}>
      <TextField
        label={texts.name}
        description={texts.nameHint}
        required
        data-autofocus
        maxLength={64}
        value={name}
        onText={setName}
      />
      <FilePlace file={file} onFile={setFile} accept=".json,.yaml,.yml,.graphql,.graphqls,.gql" />
      <Textarea
        label={texts.orPasteIt}
        description={texts.orPasteItHint}
        classNames={{ input: 'mono' }}
        rows={6}
        disabled={file !== null}
        value={pasted}
        onChange={(event) => setPasted(event.currentTarget.value)}
      />
      {faults.length > 0 ? <Faults faults={faults} /> : null}
      <FormEnd
        action={texts.upload}
        isPending={upload.isPending}
        notYet={(name === '' || (file === null && pasted.trim() === '')) && texts.nameItAndChoose}
        error={faults.length > 0 ? undefined : upload.error}
      />
    </Form>
  )
}

function Faults({ faults }: { readonly faults: readonly FieldError[] }) {
  return (
    <div role="alert" className={classes.faults}>
      <strong>{texts.theDocumentIsNotValid}</strong>
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
