/** Calls on projects and their items that the original interface has beside that of its specification (decision 0306). */
import { z } from 'zod'
import { filledText, identifier, pageQuery } from '../../fields.ts'
import { NAME_CHARS_MAX } from '../../limits.ts'
import { EXAMPLE, exampleItem, exampleProject } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { project, projectInput, projectItem, projectItemInput, projectOperations } from '../projects.ts'

const { project: _exampleProject, ...exampleListedItem } = exampleItem
const { id: _readItemId, ...readItem } = projectOperations.projectsGetItem

export const originalProjectOperations = declareOperations({
  projectsReplaceNamed: {
    method: 'PUT',
    path: '/api/Projects',
    summary: 'Replace the project that the body names',
    description:
      'As the PUT of one project, with its `id` in the body: what is absent becomes null. An `orgId` other than that of the caller is a 404.',
    permission: 'projects:write',
    body: projectInput.extend({ id: identifier }),
    response: project,
    versioned: true,
    examples: { body: { id: EXAMPLE.projectId, name: 'Shop, spring test' }, response: exampleProject },
  },
  projectsListAllItems: {
    path: '/api/Projects/getProjectItems',
    summary: 'List the items of all projects',
    description:
      'Answers an array, newest first. Without `limit` it is the whole list; with `limit`, a page, and the `Link` header with `rel="next"` leads to the following one.',
    permission: 'projects:read',
    query: z.object({ limit: pageQuery.limit.unwrap().optional(), cursor: pageQuery.cursor }),
    response: z.array(projectItem.omit({ project: true })),
    examples: { response: [exampleListedItem] },
  },
  projectsGetProjectItem: { ...readItem, path: '/api/Projects/getProjectItem/{id}' },
  projectsCreateProjectItem: {
    method: 'POST',
    path: '/api/Projects/createProjectItem',
    summary: 'Create a project item',
    description:
      'The `id` is made by the server. A `projectId` that the organization does not have is a 404.',
    permission: 'projects:write',
    body: projectItemInput
      .omit({ id: true, project: true })
      .extend({ name: filledText(NAME_CHARS_MAX), projectId: identifier }),
    response: projectItem,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: { body: { name: 'Checkout API', projectId: EXAMPLE.projectId }, response: exampleItem },
  },
})
