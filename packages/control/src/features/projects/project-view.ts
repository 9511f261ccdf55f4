/** Projects and items between the wire and their columns. */
import type { Project, ProjectInput, ProjectItem, ProjectItemInput } from '@sallyport/contract'
import type { ItemColumns, ItemRow, ProjectColumns, ProjectRow } from './store.ts'

const instant = (text: string | undefined): string | null =>
  text === undefined ? null : new Date(text).toISOString()

/** What is absent becomes null: a project is replaced whole. */
export const projectColumns = (input: ProjectInput): ProjectColumns => ({
  name: input.name ?? null,
  type: input.type ?? null,
  description: input.description ?? null,
  note: input.note ?? null,
  launch_date: instant(input.launchDate),
  end_date: instant(input.endDate),
  owner: input.owner ?? null,
  vendor: input.vendor ?? null,
  report_deadline: input.reportDeadline ?? null,
  is_retest_needed: input.isRetestNeeded ?? false,
  retesting_launch: instant(input.retestingLaunch),
  retesting_end: instant(input.retestingEnd),
  access_type: input.accessType ?? null,
  location: input.location ?? null,
})

export const itemColumns = (input: ProjectItemInput, projectId: string | null): ItemColumns => ({
  project_id: projectId,
  name: input.name ?? null,
  type: input.type ?? null,
  access_type: input.accessType ?? null,
  location: input.location ?? null,
})

export const presentProject = (row: ProjectRow): Project => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  creationDate: row.created_at,
  createdBy: row.created_by,
  type: row.type,
  description: row.description,
  note: row.note,
  ...(row.launch_date !== null && { launchDate: row.launch_date }),
  ...(row.end_date !== null && { endDate: row.end_date }),
  owner: row.owner,
  vendor: row.vendor,
  reportDeadline: row.report_deadline,
  isRetestNeeded: row.is_retest_needed,
  ...(row.retesting_launch !== null && { retestingLaunch: row.retesting_launch }),
  ...(row.retesting_end !== null && { retestingEnd: row.retesting_end }),
  accessType: row.access_type,
  location: row.location,
})

export const presentItem = (row: ItemRow, project: ProjectRow | undefined): ProjectItem => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  projectId: row.project_id,
  ...(project && { project: presentProject(project) }),
  type: row.type,
  accessType: row.access_type,
  location: row.location,
  creationDate: row.created_at,
  createdBy: row.created_by,
})
