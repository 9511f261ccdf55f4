/** Researchers ("hackers" in wire names): who is invited, until when, and with which keys. */
import { z } from 'zod'
import {
  dateTime,
  email,
  identifier,
  identifiers,
  idParams,
  pageOf,
  pageQuery,
  repeated,
  text,
} from '../fields.ts'
import { BULK_HACKERS_MAX, NAME_CHARS_MAX } from '../limits.ts'
import { moment } from './analytics/window.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'

const HACKER_STATES = ['active', 'paused', 'expired'] as const

/** By what a list of researchers may be sorted. */
export const HACKER_SORTS = ['created', 'name', 'expires', 'requests', 'firewallHits', 'lastSeen'] as const
export type HackerSort = (typeof HACKER_SORTS)[number]

export const hacker = z.object({
  id: z.string(),
  orgId: z.string(),
  email: z.string(),
  name: z.string(),
  /** `paused` and `expired` are refused at the gate; paused wins. */
  state: z.enum(HACKER_STATES),
  paused: z.boolean(),
  /** Admitted until this instant; null for no end. */
  expires: z.iso.datetime().nullable(),
  creationDate: z.iso.datetime(),
  createdBy: z.string(),
})
export type Hacker = z.infer<typeof hacker>

/** A researcher in a list, with what they sent where that was asked for and is known. */
const listedHacker = hacker.extend({
  activity: z
    .object({
      requests: z.int(),
      firewallHits: z.int(),
      /** In all that is recorded; null where nothing is. */
      lastSeen: z.iso.datetime().nullable(),
    })
    .optional(),
})
export type ListedHacker = z.infer<typeof listedHacker>

/** A researcher with secrets that are shown this once. */
const newHacker = hacker.extend({
  key: z.string(),
  /** A link to open in a browser; it signs the researcher in at the gate, once. */
  invitation: z.string(),
})

const hackerKey = z.object({
  id: z.string(),
  /** First characters of the key, to tell keys apart. */
  visiblePart: z.string(),
  creationDate: z.iso.datetime(),
})

/** A researcher with what `include` asked for. */
export const hackerWithKeys = hacker.extend({ keys: z.array(hackerKey).optional() })

const hackerInvitation = z.object({
  id: z.string(),
  invitation: z.string(),
  expires: z.iso.datetime(),
})

const hackerCreation = z.object({
  email,
  name: text(NAME_CHARS_MAX).optional(),
  expires: dateTime.nullable().optional(),
  paused: z.boolean().optional(),
})

export const BULK_ACTIONS = ['pause', 'resume', 'expire', 'remove'] as const

const exampleHacker = {
  id: EXAMPLE.hackerId,
  orgId: EXAMPLE.orgId,
  email: EXAMPLE.email,
  name: 'Robin Researcher',
  state: 'active' as const,
  paused: false,
  expires: EXAMPLE.later,
  creationDate: EXAMPLE.time,
  createdBy: EXAMPLE.userId,
}
const exampleKey = 'rk_live_0000000000000000000000000000000000000000000000000'
const exampleInvitation = 'https://sallyport.gate.localhost/invitation#token=…'

export const hackerOperations = declareOperations({
  hackersList: {
    path: '/api/Hackers',
    summary: 'List researchers',
    description:
      'Newest first, or by `sort`: `name`, `expires`, or what they sent since `gte` (the last 24 hours unless given), `requests` or `firewallHits`, or when they were last seen, `lastSeen`. Names begin with A, what ends soonest is first, and of the rest the greatest; `order` says otherwise. With `activity=true`, and in these orders, each has an `activity`; it is absent while the record cannot be read. `search` matches the e-mail address and the name; `site` keeps those on the list of that site. `id` keeps those that it names, 100 at most.',
    permission: 'researchers:read',
    query: z.object({
      ...pageQuery,
      id: repeated(identifier).optional(),
      search: text(NAME_CHARS_MAX).optional(),
      state: z.enum(HACKER_STATES).optional(),
      site: identifier.optional(),
      sort: z.enum(HACKER_SORTS).default('created'),
      order: z.enum(['asc', 'desc']).optional(),
      activity: z.enum(['true', 'false']).default('false'),
      gte: moment.optional(),
    }),
    response: pageOf(listedHacker),
    examples: { query: { state: 'active' }, response: { items: [exampleHacker], next: null } },
  },
  hackersCreate: {
    method: 'POST',
    path: '/api/Hackers',
    summary: 'Invite a researcher',
    description:
      'The key and the invitation link are shown in this answer and never again. One researcher per e-mail address in an organization: 409 otherwise.',
    permission: 'researchers:write',
    body: hackerCreation,
    response: newHacker,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: {
      body: { email: EXAMPLE.email, name: 'Robin Researcher', expires: EXAMPLE.later },
      response: { ...exampleHacker, key: exampleKey, invitation: exampleInvitation },
    },
  },
  hackersCreateMany: {
    method: 'POST',
    path: '/api/Hackers/createMany',
    summary: 'Invite many researchers at once',
    description: 'All or none. Keys and links are shown in this answer and never again.',
    permission: 'researchers:write',
    body: z.object({ hackers: z.array(hackerCreation).min(1).max(BULK_HACKERS_MAX) }),
    response: z.object({ items: z.array(newHacker) }),
    status: 201,
    idempotent: true,
    examples: {
      body: { hackers: [{ email: EXAMPLE.email }] },
      response: { items: [{ ...exampleHacker, key: exampleKey, invitation: exampleInvitation }] },
    },
  },
  hackersBulk: {
    method: 'POST',
    path: '/api/Hackers/bulk',
    summary: 'Pause, resume, expire or remove several researchers, or all',
    description:
      'Give `ids`, or `all: true`. All or none: an unknown id is a 404 and nothing changes. Who is so already is left as they are, and not in `changed`. In force at the gate within a second, running requests included.',
    permission: 'researchers:write',
    body: z
      .object({
        action: z.enum(BULK_ACTIONS),
        ids: identifiers(BULK_HACKERS_MAX).min(1).optional(),
        all: z.boolean().optional(),
      })
      .refine((body) => (body.ids === undefined) === (body.all === true), {
        message: 'give either ids or all: true',
        path: ['ids'],
      }),
    response: z.object({ changed: z.int() }),
    examples: { body: { action: 'pause', ids: [EXAMPLE.hackerId] }, response: { changed: 1 } },
  },
  hackersGet: {
    path: '/api/Hackers/{id}',
    summary: 'Read a researcher',
    description:
      'Keys and links are not shown again; their traces are under `/keys`, and with `include=keys` in `keys` of the answer.',
    permission: 'researchers:read',
    params: idParams,
    query: z.object({ include: repeated(z.enum(['keys'])).optional() }),
    response: hackerWithKeys,
    versioned: true,
    examples: { response: exampleHacker },
  },
  hackersUpdate: {
    method: 'PATCH',
    path: '/api/Hackers/{id}',
    summary: 'Change, pause or resume a researcher',
    description: 'Only the fields that are given change. `expires: null` means no end.',
    permission: 'researchers:write',
    params: idParams,
    body: hackerCreation.partial(),
    response: hacker,
    versioned: true,
    examples: { body: { paused: true }, response: { ...exampleHacker, state: 'paused', paused: true } },
  },
  hackersDelete: {
    method: 'DELETE',
    path: '/api/Hackers/{id}',
    summary: 'Remove a researcher',
    description: 'Their keys, sessions and places on lists end at once. Their recorded traffic stays.',
    permission: 'researchers:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
  hackersInvite: {
    method: 'POST',
    path: '/api/Hackers/{id}/invite',
    summary: 'Make a new invitation link',
    description:
      'The link is shown in this answer and never again; it can be used once, in one browser, and lapses after `days` (7 unless given). The newest 10 links of a researcher are valid.',
    permission: 'researchers:write',
    params: idParams,
    body: z.object({ days: z.int().min(1).max(90).optional() }).optional(),
    response: hackerInvitation,
    status: 201,
    idempotent: true,
    examples: {
      body: { days: 14 },
      response: { id: EXAMPLE.hackerId, invitation: exampleInvitation, expires: EXAMPLE.later },
    },
  },
  hackersListKeys: {
    path: '/api/Hackers/{id}/keys',
    summary: 'List the valid keys of a researcher',
    description: 'Newest first, without their secrets.',
    permission: 'researchers:read',
    params: idParams,
    response: z.object({ items: z.array(hackerKey) }),
    examples: {
      response: { items: [{ id: EXAMPLE.keyId, visiblePart: 'rk_live_0000…', creationDate: EXAMPLE.time }] },
    },
  },
  hackersRotateKey: {
    method: 'POST',
    path: '/api/Hackers/{id}/rotateKey',
    summary: 'Give a researcher a new key',
    description:
      'The key is shown in this answer and never again. All keys before it stop, unless `keepOld` is true: then revoke them when the researcher has changed over. A researcher has at most 10 keys: 409.',
    permission: 'researchers:write',
    params: idParams,
    body: z.object({ keepOld: z.boolean().optional() }).optional(),
    response: hackerKey.extend({ key: z.string() }),
    status: 201,
    idempotent: true,
    examples: {
      body: { keepOld: false },
      response: {
        id: EXAMPLE.keyId,
        visiblePart: 'rk_live_0000…',
        creationDate: EXAMPLE.time,
        key: exampleKey,
      },
    },
  },
  hackersRevokeKey: {
    method: 'DELETE',
    path: '/api/Hackers/{id}/keys/{keyId}',
    summary: 'Revoke one key of a researcher',
    description: 'Refused at the gate within a second, running requests included.',
    permission: 'researchers:write',
    params: z.object({ id: identifier, keyId: identifier }),
    status: 204,
  },
  hackersEndSessions: {
    method: 'POST',
    path: '/api/Hackers/{id}/endSessions',
    summary: 'End the browser sessions and open invitations of a researcher',
    description: 'Keys stay valid.',
    permission: 'researchers:write',
    params: idParams,
    response: hacker,
    versioned: true,
    examples: { response: exampleHacker },
  },
})
