/** Tests as projects: when they run, who owns them, what is left to retest. */
import { Button, Modal, TextInput } from '@mantine/core'
import type { Project } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/queries/account-queries.ts'
import { useProjects } from '../../api/queries/project-queries.ts'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { Page, Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { useTime } from '../../design/time/time.tsx'
import { ProjectForm } from './project-form.tsx'
import { ProjectState } from './project-state.tsx'

export function ProjectsPage() {
  const [search, setSearch] = useState('')
  const [adding, setAdding] = useState(false)
  const projects = useProjects(search)
  const may = useMay('projects:write')
  return (
    <Page
      title="Projects"
      actions={
        <>
          <TextInput
            type="search"
            size="xs"
            aria-label="Search projects"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          {may ? (
            <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
              Add a project
            </Button>
          ) : null}
        </>
      }
    >
      <Panel flush>
        {projects.isPending ? <LoadingState /> : null}
        {projects.error ? (
          <ErrorState error={projects.error} onRetry={() => void projects.refetch()} />
        ) : null}
        {projects.data && projects.rows.length === 0 ? (
          <EmptyState icon="projects" title={search ? 'No project matches' : 'No project yet'}>
            A project holds the dates of a test, what is in it, and what is left to retest.
          </EmptyState>
        ) : null}
        {projects.rows.length > 0 ? <ProjectTable projects={projects.rows} /> : null}
        <MoreButton list={projects} />
      </Panel>
      <Modal opened={adding} onClose={() => setAdding(false)} size="lg" title="Add a project">
        <ProjectForm onDone={() => setAdding(false)} />
      </Modal>
    </Page>
  )
}

function ProjectTable({ projects }: { readonly projects: readonly Project[] }) {
  const time = useTime()
  const day = (instant: string | undefined) => (instant ? time.day(instant) : <span className="soft">–</span>)
  const columns: readonly Column<Project>[] = [
    {
      head: 'Project',
      cell: (one) => (
        <Link to="/projects/$projectId" params={{ projectId: one.id ?? '' }}>
          <strong>{one.name || 'Unnamed'}</strong>
        </Link>
      ),
    },
    { head: 'State', cell: (one) => <ProjectState project={one} /> },
    { head: 'Type', secondary: true, cell: (one) => one.type },
    { head: 'Owner', secondary: true, cell: (one) => one.owner },
    { head: 'Vendor', secondary: true, cell: (one) => one.vendor },
    { head: 'Launch', secondary: true, cell: (one) => day(one.launchDate) },
    { head: 'End', secondary: true, cell: (one) => day(one.endDate) },
    { head: 'Report due', cell: (one) => one.reportDeadline },
  ]
  return <Table label="Projects" columns={columns} rows={projects} rowKey={(one) => one.id ?? ''} />
}
