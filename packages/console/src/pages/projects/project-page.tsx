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
import { QueryState } from '../../design/feedback/states.tsx'
import { Page, Panel, PendingPage, usePageData } from '../../design/page/panel.tsx'
import { TabList, tabClass } from '../../design/page/tabs.tsx'
import { useIsStillAt } from '../../design/page/use-address-now.ts'
import { Facts } from '../../design/table/facts.tsx'
import { useTime } from '../../design/time/time.tsx'
import { nameOr } from '../../language/names.ts'
import { ProjectCoverage } from './project-coverage.tsx'
import { ProjectForm } from './project-form.tsx'
import { ProjectItems } from './project-items.tsx'
import { ProjectState } from './project-state.tsx'
import { texts } from './texts.ts'

const route = getRouteApi('/projects/$projectId/$tab')
const TABS: Readonly<
  Record<string, { readonly label: string; readonly Content: ComponentType<{ readonly project: Project }> }>
> = {
  coverage: { label: texts.coverage, Content: ProjectCoverage },
  items: { label: texts.items, Content: ProjectItems },
  test: { label: texts.details, Content: ProjectFacts },
}

export function ProjectPage() {
  const { projectId, tab } = route.useParams()
  const query = useProject(projectId)
  const project = usePageData(query)
  const may = usePermission('projects:write')
  const shown = TABS[tab]
  if (!project) return <PendingPage title={texts.project} query={query} />
  if (!shown)
    return <Navigate to="/projects/$projectId/$tab" params={{ projectId, tab: 'coverage' }} replace />
  return (
    <Page
      title={nameOr(project.name, texts.unnamed)}
      part={shown.label}
      lead={<ProjectState project={project} />}
      actions={
        may ? (
          <>
            <DialogButton
              label={texts.edit}
              icon="edit"
              variant="default"
              title={texts.editTheProject}
              size="lg"
            >
              {(close) => <ProjectForm project={project} onDone={close} />}
            </DialogButton>
            <RemoveProject project={project} />
          </>
        ) : null
      }
    >
      <QueryState query={query} />
      <TabList label={texts.partsOfTheProject}>
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
      <shown.Content key={projectId} project={project} />
    </Page>
  )
}

function ProjectFacts({ project }: { readonly project: Project }) {
  const time = useTime()
  const shown = (instant: string | undefined) => (instant ? time.full(instant) : null)
  return (
    <Panel title={texts.details}>
      <Facts
        of={[
          [texts.type, project.type],
          [texts.access, project.accessType],
          [texts.owner, project.owner],
          [texts.vendor, project.vendor],
          [texts.location, project.location],
          [texts.launch, shown(project.launchDate)],
          ['End', shown(project.endDate)],
          [texts.reportDue, project.reportDeadline],
          [texts.retest, project.isRetestNeeded ? texts.needed : texts.notNeeded],
          [texts.retestFrom, shown(project.retestingLaunch)],
          [texts.retestUntil, shown(project.retestingEnd)],
          [texts.description, project.description],
          [texts.note, project.note],
          [
            texts.added,
            `${time.full(project.creationDate)}${project.createdBy ? texts.by(project.createdBy) : ''}`,
          ],
        ]}
      />
    </Panel>
  )
}

function RemoveProject({ project }: { readonly project: Project }) {
  const { api } = useServices()
  const navigate = useNavigate()
  const isStillHere = useIsStillAt(`/projects/${project.id}`)
  const queryClient = useQueryClient()
  const notices = useNotices()
  const remove = async () => {
    await api.call('projectsDelete', { params: { id: project.id ?? '' } })
    if (isStillHere()) await navigate({ to: '/projects' })
    await queryClient.invalidateQueries({ queryKey: ['projects'] })
    notices.done(texts.theProjectIsRemoved)
  }
  return (
    <ConfirmButton
      label={texts.remove}
      title={texts.removeThisProject}
      action={texts.removeProject}
      onConfirm={remove}
    >
      {texts.removeThisProjectBody}
    </ConfirmButton>
  )
}
