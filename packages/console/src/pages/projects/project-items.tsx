/** What is tested: each item with the state of its check, its due date, what it is tied to, and what the record says of that. */
import { ActionIcon, Button } from '@mantine/core'
import type { Project, ProjectCheck } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useItemRemoval, useItemSave, useProjectChecks } from '../../api/queries/project-queries.ts'
import { DialogButton } from '../../design/dialog/dialog-button.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { AdditionForm } from '../../design/form/form.tsx'
import { Icon } from '../../design/icon.tsx'
import { isolated } from '../../design/isolated.ts'
import { Panel } from '../../design/page/panel.tsx'
import { useFold } from '../../design/table/fold.tsx'
import { Status } from '../../design/table/status.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { nameOr } from '../../language/names.ts'
import { saveStream } from '../../parts/traffic/export/save-stream.ts'
import { useTimeZone } from '../../session/time-zone.tsx'
import { CheckForm } from './check-form.tsx'
import { contradiction, dayWords, STATE_WORDS, tieWords, verdictWords } from './check-words.ts'
import classes from './projects.module.css'
import { texts } from './texts.ts'

const FIELDS = [
  { name: 'name', label: texts.name, required: true },
  { name: 'type', label: texts.type, required: false },
  { name: 'location', label: texts.location, required: false },
] as const
const EMPTY = { name: '', type: '', location: '' }
const TIES_SHOWN = 3

export function ProjectItems({ project }: { readonly project: Project }) {
  const projectId = project.id ?? ''
  const { zone } = useTimeZone()
  const notices = useNotices()
  const may = usePermission('projects:write')
  const checks = useProjectChecks(projectId, zone)
  const removal = useItemRemoval()
  const remove = ({ id }: ProjectCheck) => {
    const removed = removal.mutateAsync(id)
    notices.whenDone(removed, texts.theItemIsRemoved, (bringBack) => bringBack())
  }
  return (
    <Panel
      title={texts.items}
      description={texts.itemsHint}
      flush
      actions={<ExportChecks projectId={projectId} />}
    >
      <PagedTable
        query={checks}
        empty={<EmptyState icon="projects" title={texts.noItemYet} />}
        label={texts.items}
        rowKey={(check) => check.id}
        columns={[...COLUMNS, ...(may ? [actionsColumn(remove)] : [])]}
      />
      <ItemForm projectId={projectId} may={may} />
    </Panel>
  )
}

const COLUMNS: readonly Column<ProjectCheck>[] = [
  {
    head: texts.item,
    cell: ({ name, type }) => (
      <span className={classes.item}>
        <strong>{isolated(nameOr(name, texts.unnamed))}</strong>{' '}
        {type ? <span className="soft">{isolated(type)}</span> : null}
      </span>
    ),
  },
  { head: texts.state, cell: ({ state }) => <Status {...STATE_WORDS[state]} /> },
  { head: texts.due, cell: (check) => <Due check={check} /> },
  { head: texts.tiedTo, secondary: true, cell: (check) => <Ties check={check} /> },
  { head: texts.record, cell: (check) => <Verdict check={check} /> },
]

const actionsColumn = (remove: (check: ProjectCheck) => void): Column<ProjectCheck> => ({
  head: texts.actions,
  align: 'end',
  cell: (check) => {
    const name = isolated(nameOr(check.name, texts.thisItem))
    return (
      <>
        <DialogButton
          label={texts.edit}
          name={texts.editTheCheck(name)}
          variant="subtle"
          title={texts.theCheckOf(name)}
          size="lg"
        >
          {(close) => <CheckForm check={check} onDone={close} />}
        </DialogButton>
        <ActionIcon aria-label={texts.removeName(name)} onClick={() => remove(check)}>
          <Icon name="trash" />
        </ActionIcon>
      </>
    )
  },
})

function Due({ check: { dueDate, isOverdue } }: { readonly check: ProjectCheck }) {
  if (dueDate === null) return <span className="soft">–</span>
  if (!isOverdue) return <span className="nowrap">{dayWords(dueDate)}</span>
  return <Status tone="bad">{texts.overdue(dayWords(dueDate))}</Status>
}

function Ties({ check: { ties, location } }: { readonly check: ProjectCheck }) {
  const { shown, button } = useFold(ties, TIES_SHOWN)
  if (ties.length === 0) return <span className="mono">{isolated(location ?? '')}</span>
  const gone = ties.filter(({ status }) => status === 'vanished' || status === 'site_removed').length
  const isUnknown = ties.some(({ status }) => status === 'unknown')
  return (
    <span className={classes.tied}>
      {shown.map((tie) => (
        <TieLine key={`${tie.siteId} ${tie.method} ${tie.template}`} tie={tie} />
      ))}
      {button}
      {gone > 0 ? (
        <Status tone="warn">
          {texts.fromTheDefinition(gone === ties.length ? texts.allGone : texts.gone(gone))}
        </Status>
      ) : null}
      {isUnknown ? <Status tone="warn">{texts.cannotBeReadNow}</Status> : null}
    </span>
  )
}

function TieLine({ tie }: { readonly tie: ProjectCheck['ties'][number] }) {
  const operation = <span className="mono">{tieWords(tie)}</span>
  if (tie.status === 'site_removed') return <span>{texts.aRemovedSite(operation)}</span>
  return (
    <span>
      <Link to="/sites/$siteId/$tab" params={{ siteId: tie.siteId, tab: 'coverage' }}>
        {tie.gatedName}
      </Link>
      : {operation} {tie.status === 'vanished' ? texts.noLongerInTheDefinition : ''}
    </span>
  )
}

function Verdict({ check }: { readonly check: ProjectCheck }) {
  const doubt = contradiction(check)
  return (
    <span className={classes.record}>
      <span>{verdictWords(check)}</span>
      {doubt === '' ? null : <Status tone="warn">{doubt}</Status>}
    </span>
  )
}

function ExportChecks({ projectId }: { readonly projectId: string }) {
  const { api } = useServices()
  const { zone } = useTimeZone()
  const notices = useNotices()
  const may = usePermission('traffic:export')
  if (!may) return null
  const save = async (): Promise<void> => {
    try {
      const input = { params: { id: projectId }, query: { timeZone: zone } }
      await saveStream(await api.stream('projectsExportChecks', input), 'checks.csv', () => undefined)
    } catch (error) {
      notices.failed(error)
    }
  }
  return (
    <Button variant="default" leftSection={<Icon name="download" size={14} />} onClick={() => void save()}>
      {texts.exportAsCsv}
    </Button>
  )
}

/** Adds an item. For who may not any more it stays until what is typed in it is gone. */
function ItemForm({ projectId, may }: { readonly projectId: string; readonly may: boolean }) {
  const notices = useNotices()
  const save = useItemSave()
  const [values, setValues] = useState(EMPTY)
  const submit = () => {
    const { name, type, location } = values
    const body = { projectId, name, type: type || null, location: location || null }
    notices.whenDone(
      save.mutateAsync({ body }).then(() => setValues(EMPTY)),
      texts.theItemIsAdded,
    )
  }
  if (!may && values.name + values.type + values.location === '') return null
  return (
    <AdditionForm onSubmit={submit}>
      {FIELDS.map(({ name, label, required }) => (
        <TextField
          key={name}
          aria-label={texts.ofTheItem(label)}
          placeholder={label}
          required={required}
          value={values[name]}
          onText={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <Button type="submit" size="sm" variant="default" loading={save.isPending}>
        {texts.add}
      </Button>
    </AdditionForm>
  )
}
