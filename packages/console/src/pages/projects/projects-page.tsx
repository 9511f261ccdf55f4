/** Tests as projects: when they run, who owns them, what is left to retest. */
import { Button } from '@mantine/core'
import type { Project } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useProjects } from '../../api/queries/project-queries.ts'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { ListPage } from '../../design/page/list-page.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { type TimeWords, useTime } from '../../design/time/time.tsx'
import { ProjectForm } from './project-form.tsx'
import { ProjectState } from './project-state.tsx'

export function ProjectsPage() {
  const [search, setSearch] = useState('')
  const projects = useProjects(search)
  const may = usePermission('projects:write')
  const time = useTime()
  return (
    <ListPage
      title="Projects"
      search={search}
      onSearch={setSearch}
      add={
        <>
          <Button variant="default" renderRoot={(props) => <Link to="/evidence" {...props} />}>
            Check evidence
          </Button>
          <AddButton may={may} label="Add a project" title="Add a project" size="lg" form={ProjectForm} />
        </>
      }
    >
      <Panel flush>
        <PagedTable
          query={projects}
          empty={
            <EmptyState icon="projects" title={search ? 'No project matches' : 'No project yet'}>
              A project holds the dates of a test, its scope, and what is left to retest.
            </EmptyState>
          }
          label="Projects"
          rowKey={(one) => one.id ?? ''}
          columns={columnsOf(time)}
        />
      </Panel>
    </ListPage>
  )
}

function columnsOf(time: TimeWords): readonly Column<Project>[] {
  const day = (instant: string | undefined) => (instant ? time.day(instant) : <span className="soft">–</span>)
  return [
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
}
