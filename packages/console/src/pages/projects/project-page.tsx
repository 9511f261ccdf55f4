/** One project: its dates and people, its items, and the form that changes it. */
import { ActionIcon, Button, Modal, TextInput } from '@mantine/core'
import type { Project, ProjectItem } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useMay } from '../../api/queries/account-queries.ts'
import { useItemSave, useProject, useProjectItems } from '../../api/queries/project-queries.ts'
import { useServices } from '../../api/services.tsx'
import { ConfirmDialog } from '../../design/feedback/confirm.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import form from '../../design/form/form.module.css'
import { Icon } from '../../design/icon.tsx'
import { AwaitedPage } from '../../design/page/awaited-page.tsx'
import { Columns, Page, Panel } from '../../design/page/panel.tsx'
import { Facts } from '../../design/table/facts.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { RelativeTime, useTime } from '../../design/time/time.tsx'
import { ProjectForm } from './project-form.tsx'
import { ProjectState } from './project-state.tsx'

const route = getRouteApi('/projects/$projectId')

export function ProjectPage() {
  const { projectId } = route.useParams()
  const project = useProject(projectId)
  const may = useMay('projects:write')
  const [editing, setEditing] = useState(false)
  if (project.isPending || project.error) return <AwaitedPage title="Project" query={project} />
  return (
    <Page
      title={project.data.name || 'Unnamed'}
      lead={<ProjectState project={project.data} />}
      actions={
        may ? (
          <>
            <Button
              variant="default"
              leftSection={<Icon name="edit" size={14} />}
              onClick={() => setEditing(true)}
            >
              Edit
            </Button>
            <RemoveProject project={project.data} />
          </>
        ) : null
      }
    >
      <Columns>
        <ProjectFacts project={project.data} />
        <Items projectId={projectId} />
      </Columns>
      <Modal opened={editing} onClose={() => setEditing(false)} size="lg" title="Edit the project">
        <ProjectForm project={project.data} onDone={() => setEditing(false)} />
      </Modal>
    </Page>
  )
}

function ProjectFacts({ project }: { readonly project: Project }) {
  const time = useTime()
  const shown = (instant: string | undefined) => (instant ? time.full(instant) : null)
  return (
    <Panel title="The test">
      <Facts
        of={[
          ['Type', project.type],
          ['Access', project.accessType],
          ['Owner', project.owner],
          ['Vendor', project.vendor],
          ['Location', project.location],
          ['Launch', shown(project.launchDate)],
          ['End', shown(project.endDate)],
          ['Report due', project.reportDeadline],
          ['Retest', project.isRetestNeeded ? 'needed' : 'not needed'],
          ['Retest from', shown(project.retestingLaunch)],
          ['Retest until', shown(project.retestingEnd)],
          ['Description', project.description],
          ['Note', project.note],
          [
            'Added',
            `${time.full(project.creationDate)}${project.createdBy ? `, by ${project.createdBy}` : ''}`,
          ],
        ]}
      />
    </Panel>
  )
}

function Items({ projectId }: { readonly projectId: string }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const may = useMay('projects:write')
  const items = useProjectItems(projectId)
  const save = useItemSave()
  const remove = ({ id, project: _project, ...again }: ProjectItem) => {
    const removal = api
      .call('projectsDeleteItem', { params: { id: id ?? '' } })
      .then(() => queryClient.invalidateQueries({ queryKey: ['projects'] }))
    notices.whenDone(removal, 'The item is removed.', () => save.mutateAsync(again))
  }
  const columns: readonly Column<ProjectItem>[] = [
    { head: 'Item', cell: (item) => <strong>{item.name}</strong> },
    { head: 'Type', cell: (item) => item.type },
    { head: 'Access', secondary: true, cell: (item) => item.accessType },
    { head: 'Location', secondary: true, cell: (item) => <span className="mono">{item.location}</span> },
    { head: 'Added', secondary: true, cell: (item) => <RelativeTime instant={item.creationDate} /> },
    {
      head: 'Remove',
      align: 'end',
      cell: (item) =>
        may ? (
          <ActionIcon aria-label={`Remove ${item.name ?? 'this item'}`} onClick={() => remove(item)}>
            <Icon name="trash" />
          </ActionIcon>
        ) : null,
    },
  ]
  return (
    <Panel title="Items" description="What is tested: applications, APIs, hosts." flush>
      {items.isPending ? <LoadingState /> : null}
      {items.error ? <ErrorState error={items.error} onRetry={() => void items.refetch()} /> : null}
      {items.data && items.rows.length === 0 ? <EmptyState icon="projects" title="No item yet" /> : null}
      {items.rows.length > 0 ? (
        <Table label="Items" columns={columns} rows={items.rows} rowKey={(item) => item.id ?? ''} />
      ) : null}
      <MoreButton list={items} />
      {may ? <ItemForm projectId={projectId} /> : null}
    </Panel>
  )
}

function ItemForm({ projectId }: { readonly projectId: string }) {
  const notices = useNotices()
  const save = useItemSave()
  const empty = { name: '', type: '', location: '' }
  const [values, setValues] = useState(empty)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(
      { projectId, name: values.name, type: values.type || null, location: values.location || null },
      {
        onSuccess: () => {
          setValues(empty)
          notices.done('The item is added.')
        },
        onError: (error) => notices.failed(error),
      },
    )
  }
  return (
    <form onSubmit={submit} className={form.inline}>
      <TextInput
        aria-label="Name of the item"
        placeholder="Name"
        required
        value={values.name}
        onChange={(event) => setValues({ ...values, name: event.currentTarget.value })}
      />
      <TextInput
        aria-label="Type of the item"
        placeholder="Type"
        value={values.type}
        onChange={(event) => setValues({ ...values, type: event.currentTarget.value })}
      />
      <TextInput
        aria-label="Location of the item"
        placeholder="Location"
        value={values.location}
        onChange={(event) => setValues({ ...values, location: event.currentTarget.value })}
      />
      <Button type="submit" size="sm" variant="default" loading={save.isPending}>
        Add
      </Button>
    </form>
  )
}

function RemoveProject({ project }: { readonly project: Project }) {
  const { api } = useServices()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const [asking, setAsking] = useState(false)
  const remove = async () => {
    await api.call('projectsDelete', { params: { id: project.id ?? '' } })
    await navigate({ to: '/projects' })
    await queryClient.invalidateQueries({ queryKey: ['projects'] })
    notices.done('The project is removed.')
  }
  return (
    <>
      <Button variant="outline" className="danger" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <ConfirmDialog
        opened={asking}
        title="Remove this project?"
        action="Remove project"
        danger
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        The project goes with its items, and cannot be brought back.
      </ConfirmDialog>
    </>
  )
}
