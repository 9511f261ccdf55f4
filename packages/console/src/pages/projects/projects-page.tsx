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
import { nameOr } from '../../language/names.ts'
import { dayWords } from './check-words.ts'
import { ProjectForm } from './project-form.tsx'
import { ProjectState } from './project-state.tsx'
import { texts } from './texts.ts'

export function ProjectsPage() {
  const [search, setSearch] = useState('')
  const projects = useProjects(search)
  const may = usePermission('projects:write')
  const time = useTime()
  return (
    <ListPage
      title={texts.projects}
      search={search}
      onSearch={setSearch}
      add={
        <>
          <Button variant="default" renderRoot={(props) => <Link to="/evidence" {...props} />}>
            {texts.checkEvidence}
          </Button>
          <AddButton may={may} label={texts.addAProject} size="lg" form={ProjectForm} />
        </>
      }
    >
      <Panel flush>
        <PagedTable
          query={projects}
          empty={
            <EmptyState icon="projects" title={search ? texts.noProjectMatches : texts.noProjectYet}>
              {texts.aProjectHolds}
            </EmptyState>
          }
          label={texts.projects}
          rowKey={(one) => one.id ?? ''}
          columns={columnsOf(time)}
        />
      </Panel>
    </ListPage>
  )
}

const NO_DAY = <span className="soft">–</span>

/** Whatever was written; a day is said as the other days of the table are. */
function Deadline({ words }: { readonly words: string }) {
  if (words === '') return NO_DAY
  return DAY.test(words) ? <span className="nowrap">{dayWords(words)}</span> : words
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

function columnsOf(time: TimeWords): readonly Column<Project>[] {
  const day = (instant: string | undefined) =>
    instant ? <span className="nowrap">{time.day(instant)}</span> : NO_DAY
  return [
    {
      head: texts.project,
      cell: (one) => (
        <Link to="/projects/$projectId" params={{ projectId: one.id ?? '' }}>
          <strong>{nameOr(one.name, texts.unnamed)}</strong>
        </Link>
      ),
    },
    { head: texts.state, cell: (one) => <ProjectState project={one} /> },
    { head: texts.type, secondary: 'least', cell: (one) => one.type },
    { head: texts.owner, secondary: 'least', cell: (one) => one.owner },
    { head: texts.vendor, secondary: 'least', cell: (one) => one.vendor },
    { head: texts.launch, secondary: true, cell: (one) => day(one.launchDate) },
    { head: texts.end, secondary: true, cell: (one) => day(one.endDate) },
    { head: texts.reportDue, cell: (one) => <Deadline words={one.reportDeadline ?? ''} /> },
  ]
}
