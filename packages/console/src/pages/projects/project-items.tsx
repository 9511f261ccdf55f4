import { ActionIcon, Button } from '@mantine/core'
import type { ProjectItem, Site } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useItemSave, useProjectItems } from '../../api/queries/project-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { AdditionForm } from '../../design/form/form.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'

const FIELDS = [
  { name: 'name', label: 'Name', required: true },
  { name: 'type', label: 'Type', required: false },
  { name: 'location', label: 'Location', required: false },
] as const
const EMPTY = { name: '', type: '', location: '' }

/** What is tested: listed, added and removed. */
export function ProjectItems({ projectId }: { readonly projectId: string }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const may = usePermission('projects:write')
  const items = useProjectItems(projectId)
  const sites = useSites()
  const save = useItemSave()
  const remove = ({ id, project: _project, ...again }: ProjectItem) => {
    const removal = api
      .call('projectsDeleteItem', { params: { id: id ?? '' } })
      .then(() => queryClient.invalidateQueries({ queryKey: ['projects'] }))
    notices.whenDone(removal, 'The item is removed.', () => save.mutateAsync({ body: again }))
  }
  const columns: readonly Column<ProjectItem>[] = [
    { head: 'Item', cell: (item) => <strong>{item.name}</strong> },
    { head: 'Type', cell: (item) => item.type },
    { head: 'Access', secondary: true, cell: (item) => item.accessType },
    { head: 'Location', secondary: true, cell: (item) => <span className="mono">{item.location}</span> },
    { head: 'Coverage', cell: (item) => <CoverageLink site={siteAt(sites.data, item.location)} /> },
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
      <PagedTable
        query={items}
        empty={<EmptyState icon="projects" title="No item yet" />}
        label="Items"
        rowKey={(item) => item.id ?? ''}
        columns={columns}
      />
      {may ? <ItemForm projectId={projectId} /> : null}
    </Panel>
  )
}

/** The site whose origin or gated name an item's location names. */
function siteAt(sites: readonly Site[] | undefined, location: string | null | undefined): Site | undefined {
  const host = hostOf(location ?? '')
  return host === ''
    ? undefined
    : sites?.find((site) => [site.gatedName, hostOf(site.originName)].includes(host))
}

const hostOf = (location: string): string =>
  location
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/s, '')

const CoverageLink = ({ site }: { readonly site: Site | undefined }) =>
  site ? (
    <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'coverage' }}>
      {site.gatedName}
    </Link>
  ) : null

function ItemForm({ projectId }: { readonly projectId: string }) {
  const notices = useNotices()
  const save = useItemSave()
  const [values, setValues] = useState(EMPTY)
  const submit = () => {
    const { name, type, location } = values
    const body = { projectId, name, type: type || null, location: location || null }
    notices.whenDone(
      save.mutateAsync({ body }).then(() => setValues(EMPTY)),
      'The item is added.',
    )
  }
  return (
    <AdditionForm onSubmit={submit}>
      {FIELDS.map(({ name, label, required }) => (
        <TextField
          key={name}
          aria-label={`${label} of the item`}
          placeholder={label}
          required={required}
          value={values[name]}
          onText={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <Button type="submit" size="sm" variant="default" loading={save.isPending}>
        Add
      </Button>
    </AdditionForm>
  )
}
