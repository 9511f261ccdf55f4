import { Button, Switch, Textarea, TextInput } from '@mantine/core'
import type { Project, ProjectInput } from '@sallyport/contract'
import { type FormEvent, useState } from 'react'
import { useProjectSave } from '../../api/project-queries.ts'
import form from '../../design/form.module.css'
import { LocalTimeInput } from '../../design/local-time-input.tsx'
import { useNotices } from '../../design/notices.tsx'
import { ErrorState } from '../../design/states.tsx'
import { fromLocalInput, toLocalInput, useTime } from '../../design/time.tsx'

const TEXTS = [
  { name: 'type', label: 'Type' },
  { name: 'accessType', label: 'Access' },
  { name: 'owner', label: 'Owner' },
  { name: 'vendor', label: 'Vendor' },
  { name: 'location', label: 'Location' },
  { name: 'reportDeadline', label: 'Report due' },
] as const
const DATES = [
  { name: 'launchDate', label: 'Launch' },
  { name: 'endDate', label: 'End' },
] as const
const RETEST_DATES = [
  { name: 'retestingLaunch', label: 'Retest from' },
  { name: 'retestingEnd', label: 'Retest until' },
] as const

/** Every field of a project. The whole record is replaced, as the API has it. */
export function ProjectForm({
  project,
  onDone,
}: {
  readonly project?: Project
  readonly onDone: () => void
}) {
  const notices = useNotices()
  const save = useProjectSave()
  const [values, setValues] = useState<ProjectInput>(project ?? { name: '' })
  const set = (part: Partial<ProjectInput>) => setValues({ ...values, ...part })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(values, {
      onSuccess: () => {
        onDone()
        if (project) notices.done('The project is saved.', () => save.mutateAsync(project))
        else notices.done('The project is added.')
      },
    })
  }
  return (
    <form className={form.form} onSubmit={submit}>
      <TextInput
        label="Name"
        required
        value={values.name ?? ''}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <div className={form.pair}>
        {TEXTS.map((field) => (
          <TextInput
            key={field.name}
            label={field.label}
            value={values[field.name] ?? ''}
            onChange={(event) => set({ [field.name]: event.currentTarget.value || null })}
          />
        ))}
        <DateFields fields={DATES} values={values} onChange={set} />
      </div>
      <Switch
        label="A retest is needed"
        checked={values.isRetestNeeded ?? false}
        onChange={(event) => set({ isRetestNeeded: event.currentTarget.checked })}
      />
      {values.isRetestNeeded ? (
        <div className={form.pair}>
          <DateFields fields={RETEST_DATES} values={values} onChange={set} />
        </div>
      ) : null}
      <Textarea
        label="Description"
        autosize
        minRows={3}
        value={values.description ?? ''}
        onChange={(event) => set({ description: event.currentTarget.value || null })}
      />
      <Textarea
        label="Note"
        autosize
        minRows={2}
        value={values.note ?? ''}
        onChange={(event) => set({ note: event.currentTarget.value || null })}
      />
      {save.error ? <ErrorState error={save.error} /> : null}
      <div className={form.buttons}>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

function DateFields(props: {
  readonly fields: readonly { readonly name: DateName; readonly label: string }[]
  readonly values: ProjectInput
  readonly onChange: (part: Partial<ProjectInput>) => void
}) {
  const { zone } = useTime()
  return props.fields.map((field) => (
    <LocalTimeInput
      key={field.name}
      label={field.label}
      value={toLocalInput(props.values[field.name], zone)}
      onChange={(event) =>
        props.onChange({ [field.name]: fromLocalInput(event.currentTarget.value, zone) ?? undefined })
      }
    />
  ))
}
type DateName = (typeof DATES | typeof RETEST_DATES)[number]['name']
