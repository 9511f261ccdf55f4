/** Saved views of the traffic: a name for the filters and the window of a page's address, private or shared. */
import { z } from 'zod'
import { filledText, idParams, pageOf, pageQuery, text } from '../../fields.ts'
import { NAME_CHARS_MAX, SAVED_VIEW_QUERY_CHARS_MAX, SAVED_VIEWS_MAX } from '../../limits.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

const savedView = z.object({
  id: z.string(),
  name: z.string(),
  /** The query of the traffic page's address, with its `?`; empty for the page as it is at first. */
  query: z.string(),
  isShared: z.boolean(),
  /** Whether the caller made it. */
  isOwn: z.boolean(),
  createdBy: z.string(),
  creationDate: z.iso.datetime(),
})
export type SavedView = z.infer<typeof savedView>

const name = filledText(NAME_CHARS_MAX)
const query = text(SAVED_VIEW_QUERY_CHARS_MAX).regex(/^(?:\?[\x21-\x7e]*)?$/, {
  message: 'must be empty or begin with ?, with everything but printable ASCII percent-encoded',
})

const exampleView = {
  id: EXAMPLE.savedViewId,
  name: 'Server errors',
  query: '?status=5xx',
  isShared: true,
  isOwn: true,
  createdBy: EXAMPLE.ownerEmail,
  creationDate: EXAMPLE.time,
} satisfies SavedView

export const savedViewOperations = declareOperations({
  savedViewsList: {
    path: '/api/SavedViews',
    summary: 'List saved views',
    description: 'Those that are shared with the organization, and your own. Newest first.',
    permission: 'traffic:read',
    query: z.object(pageQuery),
    response: pageOf(savedView),
    examples: { response: { items: [exampleView], next: null } },
  },
  savedViewsGet: {
    path: '/api/SavedViews/{id}',
    summary: 'Read a saved view',
    description: "A private one of somebody else's answers 404.",
    permission: 'traffic:read',
    params: idParams,
    response: savedView,
    versioned: true,
    examples: { response: exampleView },
  },
  savedViewsCreate: {
    method: 'POST',
    path: '/api/SavedViews',
    summary: 'Save a view',
    description: `A name for the query of the traffic page's address. Private unless \`isShared\`. An organization has ${SAVED_VIEWS_MAX} shared ones at most, and each subject ${SAVED_VIEWS_MAX} private ones, or 409.`,
    permission: 'traffic:read',
    body: z.object({ name, query, isShared: z.boolean().default(false) }),
    response: savedView,
    status: 201,
    versioned: true,
    idempotent: true,
    errors: ['conflict'],
    examples: {
      body: { name: 'Server errors', query: '?status=5xx', isShared: true },
      response: exampleView,
    },
  },
  savedViewsUpdate: {
    method: 'PATCH',
    path: '/api/SavedViews/{id}',
    summary: 'Change a saved view, share it or keep it',
    description:
      'Your own; of those that are shared, any as an owner or admin, 403 as another. Only who made a view makes it private again. 409 where there are as many already as there may be.',
    permission: 'traffic:read',
    params: idParams,
    body: z.object({ name, query, isShared: z.boolean() }).partial(),
    response: savedView,
    versioned: true,
    errors: ['conflict'],
    examples: { body: { name: 'Origin fails' }, response: { ...exampleView, name: 'Origin fails' } },
  },
  savedViewsRemove: {
    method: 'DELETE',
    path: '/api/SavedViews/{id}',
    summary: 'Remove a saved view',
    description: 'Your own; of those that are shared, any as an owner or admin, 403 as another.',
    permission: 'traffic:read',
    params: idParams,
    status: 204,
    versioned: true,
  },
})
