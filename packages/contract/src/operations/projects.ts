/** Test projects and their items. Nothing beyond the fields listed is accepted, at any depth. */
import { z } from 'zod'
import { dateTime, identifier, idParams, pageOf, pageQuery, text } from '../fields.ts'
import { NAME_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import { EXAMPLE, exampleItem, exampleProject } from './examples.ts'
import { declareOperations } from './operation.ts'

const nullableName = text(NAME_CHARS_MAX).nullable().optional()
const nullableText = text(TEXT_CHARS_MAX).nullable().optional()
const nullableId = identifier.nullable().optional()

/** As sent. `orgId`, `creationDate` and `createdBy` are the server's: they are taken, so that what was read can be sent back, and not stored. */
export const projectInput = z.strictObject({
  id: nullableId,
  orgId: nullableId,
  name: nullableName,
  creationDate: dateTime.optional(),
  createdBy: nullableName,
  type: nullableName,
  description: nullableText,
  note: nullableText,
  launchDate: dateTime.optional(),
  endDate: dateTime.optional(),
  owner: nullableName,
  vendor: nullableName,
  reportDeadline: nullableName,
  isRetestNeeded: z.boolean().optional(),
  retestingLaunch: dateTime.optional(),
  retestingEnd: dateTime.optional(),
  accessType: nullableName,
  location: nullableName,
})
export type ProjectInput = z.infer<typeof projectInput>

export const projectItemInput = z.strictObject({
  id: nullableId,
  orgId: nullableId,
  name: nullableName,
  projectId: nullableId,
  project: projectInput.optional(),
  type: nullableName,
  accessType: nullableName,
  location: nullableText,
  creationDate: dateTime.optional(),
  createdBy: nullableName,
})
export type ProjectItemInput = z.infer<typeof projectItemInput>

/** As answered: nullable strings are there as null; a date that is not set is absent, because dates are not nullable. */
export const project = z.strictObject({
  id: z.string().nullable(),
  orgId: z.string().nullable(),
  name: z.string().nullable(),
  creationDate: z.iso.datetime(),
  createdBy: z.string().nullable(),
  type: z.string().nullable(),
  description: z.string().nullable(),
  note: z.string().nullable(),
  launchDate: z.iso.datetime().optional(),
  endDate: z.iso.datetime().optional(),
  owner: z.string().nullable(),
  vendor: z.string().nullable(),
  reportDeadline: z.string().nullable(),
  isRetestNeeded: z.boolean(),
  retestingLaunch: z.iso.datetime().optional(),
  retestingEnd: z.iso.datetime().optional(),
  accessType: z.string().nullable(),
  location: z.string().nullable(),
})
export type Project = z.infer<typeof project>

export const projectItem = z.strictObject({
  id: z.string().nullable(),
  orgId: z.string().nullable(),
  name: z.string().nullable(),
  projectId: z.string().nullable(),
  /** Absent for an item of no project. */
  project: project.optional(),
  type: z.string().nullable(),
  accessType: z.string().nullable(),
  location: z.string().nullable(),
  creationDate: z.iso.datetime(),
  createdBy: z.string().nullable(),
})
export type ProjectItem = z.infer<typeof projectItem>

const listQuery = {
  ...pageQuery,
  search: text(NAME_CHARS_MAX).optional(),
  type: text(NAME_CHARS_MAX).optional(),
}

export const projectOperations = declareOperations({
  projectsUpdateProjectItem: {
    method: 'PUT',
    path: '/api/Projects/updateProjectItem',
    summary: 'Replace a project item, or create one',
    description:
      "Replaces the whole item. With no `id`, or null, it creates one; an unknown `id` is a 404. A nested `project` is replaced in the same transaction, or created where it has no `id`. `projectId` and `project.id` that disagree are a 400; an `orgId` other than that of the caller is a 404. `creationDate` and `createdBy` are the server's and are not changed by what is sent.",
    permission: 'projects:write',
    extension: false,
    body: projectItemInput,
    response: projectItem,
    versioned: true,
    idempotent: true,
    examples: {
      body: { name: 'Checkout API', projectId: EXAMPLE.projectId, type: 'api' },
      response: exampleItem,
    },
  },
  projectsList: {
    path: '/api/Projects',
    summary: 'List projects',
    description: 'Newest first. `search` matches name, owner and vendor.',
    permission: 'projects:read',
    query: z.object(listQuery),
    response: pageOf(project),
    examples: { query: { search: 'shop' }, response: { items: [exampleProject], next: null } },
  },
  projectsCreate: {
    method: 'POST',
    path: '/api/Projects',
    summary: 'Create a project',
    description: 'The `id` is made by the server; one that is sent is a 400.',
    permission: 'projects:write',
    body: projectInput,
    response: project,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: { body: { name: 'Shop, winter test', isRetestNeeded: true }, response: exampleProject },
  },
  projectsGet: {
    path: '/api/Projects/{id}',
    summary: 'Read a project',
    description: 'The `ETag` of the answer is what `If-Match` of a change takes.',
    permission: 'projects:read',
    params: idParams,
    response: project,
    versioned: true,
    examples: { response: exampleProject },
  },
  projectsReplace: {
    method: 'PUT',
    path: '/api/Projects/{id}',
    summary: 'Replace a project',
    description: 'Replaces the whole record: what is absent becomes null. An `id` that differs is a 400.',
    permission: 'projects:write',
    params: idParams,
    body: projectInput,
    response: project,
    versioned: true,
    examples: { body: { name: 'Shop, spring test' }, response: exampleProject },
  },
  projectsDelete: {
    method: 'DELETE',
    path: '/api/Projects/{id}',
    summary: 'Remove a project and its items',
    description: 'All or nothing.',
    permission: 'projects:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
  projectsListItems: {
    path: '/api/Projects/{id}/items',
    summary: 'List the items of a project',
    description: 'Newest first.',
    permission: 'projects:read',
    params: idParams,
    query: z.object(listQuery),
    response: pageOf(projectItem),
    examples: { response: { items: [exampleItem], next: null } },
  },
  projectsGetItem: {
    path: '/api/Projects/items/{id}',
    summary: 'Read a project item',
    description: 'With its project.',
    permission: 'projects:read',
    params: idParams,
    response: projectItem,
    versioned: true,
    examples: { response: exampleItem },
  },
  projectsDeleteItem: {
    method: 'DELETE',
    path: '/api/Projects/items/{id}',
    summary: 'Remove a project item',
    description: 'Its project stays.',
    permission: 'projects:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
})
