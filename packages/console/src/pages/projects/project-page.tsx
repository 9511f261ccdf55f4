/** One project: what was tried of it first, its items, its dates and people, and the form that changes it. */
import type { Project } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useProject } from '../../api/queries/project-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { DialogButton } from '../../design/dialog/dialog-button.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { Page, Panel, PendingPage } from '../../design/page/panel.tsx'
import { TabList, tabClass } from '../../design/page/tabs.tsx'
import { Facts } from '../../design/table/facts.tsx'
import { useTime } from '../../design/time/time.tsx'
import { ProjectCoverage } from './project-coverage.tsx'
import { ProjectForm } from './project-form.tsx'
import { ProjectItems } from './project-items.tsx'
import { ProjectState } from './project-state.tsx'

const route = getRouteApi('/projects/$projectId/$tab')
const TABS: Readonly<
  Record<string, { readonly label: string; readonly Content: ComponentType<{ readonly project: Project }> }>
> = {
  coverage: { label: 'Coverage', Content: ProjectCoverage },
  items: { label: 'Items', Content: ProjectItems },
  test: { label: 'Details', Content: ProjectFacts },
}

export function ProjectPage() {
  const { projectId, tab } = route.useParams()
  const project = useProject(projectId)
  const may = usePermission('projects:write')
  const shown = TABS[tab]
  if (project.isPending || project.error) return <PendingPage title="Project" query={project} />
  if (!shown)
    return <Navigate to="/projects/$projectId/$tab" params={{ projectId, tab: 'coverage' }} replace />
  return (
    <Page
      title={project.data.name || 'Unnamed'}
      lead={<ProjectState project={project.data} />}
      actions={
        may ? (
          <>
            <DialogButton label="Edit" icon="edit" variant="default" title="Edit the project" size="lg">
              {(close) => <ProjectForm project={project.data} onDone={close} />}
            </DialogButton>
            <RemoveProject project={project.data} />
          </>
        ) : null
      }
    >
      <TabList label="Parts of the project">
        {Object.entries(TABS).map(([name, one]) => (
          <Link
            key={name}
            to="/projects/$projectId/$tab"
            params={{ projectId, tab: name }}
            className={tabClass}
          >
            {one.label}
          </Link>
        ))}
      </TabList>
      <shown.Content key={projectId} project={project.data} />
    </Page>
  )
}

function ProjectFacts({ project }: { readonly project: Project }) {
  const time = useTime()
  const shown = (instant: string | undefined) => (instant ? time.full(instant) : null)
  return (
    <Panel title="Details">
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

function RemoveProject({ project }: { readonly project: Project }) {
  const { api } = useServices()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const remove = async () => {
    await api.call('projectsDelete', { params: { id: project.id ?? '' } })
    await navigate({ to: '/projects' })
    await queryClient.invalidateQueries({ queryKey: ['projects'] })
    notices.done('The project is removed.')
  }
  return (
    <ConfirmButton label="Remove" title="Remove this project?" action="Remove project" onConfirm={remove}>
      The project and its items are deleted. This cannot be undone.
    </ConfirmButton>
  )
}
