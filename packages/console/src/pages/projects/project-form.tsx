import { Switch, Textarea } from '@mantine/core'
import type { Project, ProjectInput } from '@sallyport/contract'
import { useState } from 'react'
import { previousValues } from '../../api/concurrent-edits.ts'
import { useProjectChange, useProjectCreation } from '../../api/queries/project-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { FieldRow, Form, FormEnd } from '../../design/form/form.tsx'
import { InstantField } from '../../design/form/time-field.tsx'
import { texts } from './texts.ts'

const TEXTS = [
  { name: 'type', label: texts.type },
  { name: 'accessType', label: texts.access },
  { name: 'owner', label: texts.owner },
  { name: 'vendor', label: texts.vendor },
  { name: 'location', label: texts.location },
  { name: 'reportDeadline', label: texts.reportDue },
] as const
const LONG_TEXTS = [
  { name: 'description', label: texts.description, minRows: 3 },
  { name: 'note', label: texts.note, minRows: 2 },
] as const
const DATES = [
  { name: 'launchDate', label: texts.launch },
  { name: 'endDate', label: texts.end },
] as const
const RETEST_DATES = [
  { name: 'retestingLaunch', label: texts.retestFrom },
  { name: 'retestingEnd', label: texts.retestUntil },
] as const

/** Every field of a project. Of one that exists, what was not edited here is saved as it is by then. */
export function ProjectForm(props: { readonly project?: Project; readonly onDone: () => void }) {
  const { project } = props
  const [edits, setEdits] = useState<ProjectInput>({})
  const { save, isPending, error } = useProjectSave(project, props.onDone)
  const values: ProjectInput = { ...project, ...edits }
  const set = (part: ProjectInput) => setEdits({ ...edits, ...part })
  return (
    <Form onSubmit={() => save(edits)}>
      <TextField
        label={texts.name}
        required
        value={values.name ?? ''}
        onText={(text) => set({ name: text })}
      />
      <FieldRow>
        {TEXTS.map((field) => (
          <TextField
            key={field.name}
            label={field.label}
            value={values[field.name] ?? ''}
            onText={(text) => set({ [field.name]: text || null })}
          />
        ))}
        <DateFields fields={DATES} values={values} onChange={set} />
      </FieldRow>
      <Switch
        label={texts.aRetestIsNeeded}
        checked={values.isRetestNeeded ?? false}
        onChange={(event) => set({ isRetestNeeded: event.currentTarget.checked })}
      />
      {values.isRetestNeeded ? (
        <FieldRow>
          <DateFields fields={RETEST_DATES} values={values} onChange={set} />
        </FieldRow>
      ) : null}
      <LongTexts values={values} onChange={set} />
      <FormEnd
        action={texts.save}
        isPending={isPending}
        error={error}
        isUnchanged={project !== undefined && Object.keys(edits).length === 0}
      />
    </Form>
  )
}

/** Adds a project, or changes the one that is given. */
function useProjectSave(project: Project | undefined, onDone: () => void) {
  const notices = useNotices()
  const creation = useProjectCreation()
  const change = useProjectChange(project?.id ?? '')
  const finish = (words: string, undo?: () => Promise<unknown>) => {
    onDone()
    notices.done(words, undo)
  }
  const add = (body: ProjectInput) =>
    creation.mutate({ body }, { onSuccess: () => finish(texts.theProjectIsAdded) })
  const edit = (edits: ProjectInput) =>
    change.mutate(edits, {
      onSuccess: (before) =>
        finish(texts.theProjectIsSaved, () =>
          change.mutateAsync(previousValues<ProjectInput>(before, edits)),
        ),
    })
  const { isPending, error } = project ? change : creation
  return { save: project ? edit : add, isPending, error }
}

interface FieldsProps {
  readonly values: ProjectInput
  readonly onChange: (part: ProjectInput) => void
}

function LongTexts({ values, onChange }: FieldsProps) {
  return LONG_TEXTS.map(({ name, label, minRows }) => (
    <Textarea
      key={name}
      label={label}
      autosize
      minRows={minRows}
      value={values[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.currentTarget.value || null })}
    />
  ))
}

type DateName = (typeof DATES | typeof RETEST_DATES)[number]['name']

function DateFields(
  props: FieldsProps & { readonly fields: readonly { readonly name: DateName; readonly label: string }[] },
) {
  return props.fields.map((field) => (
    <InstantField
      key={field.name}
      label={field.label}
      value={props.values[field.name]}
      onInstant={(instant) => props.onChange({ [field.name]: instant ?? undefined })}
    />
  ))
}
