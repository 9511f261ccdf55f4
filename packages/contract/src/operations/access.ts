/** Who may call: API keys and members; and what they did: the audit log. */
import { z } from 'zod'
import { dateTime, email, filledText, idParams, pageOf, pageQuery, text } from '../fields.ts'
import { NAME_CHARS_MAX } from '../limits.ts'
import { ROLES } from '../permissions.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'

export const role = z.enum(ROLES)
/** Longest time for which a rotated key works beside its successor. */
const KEY_OVERLAP_SECONDS_MAX = 7 * 86_400
/** Bounds of a password, in characters. The server has more rules: see `docs/identity.md`. */
export const PASSWORD_CHARS_MIN = 12
export const PASSWORD_CHARS_MAX = 256

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  role,
  /** First characters of the key, to tell keys apart. */
  visiblePart: z.string(),
  expires: z.iso.datetime().nullable(),
  lastUsed: z.iso.datetime().nullable(),
  creationDate: z.iso.datetime(),
  createdBy: z.string(),
})
export type ApiKey = z.infer<typeof apiKey>
const newApiKey = apiKey.extend({ key: z.string() })

const MEMBER_STATES = ['active', 'invited', 'suspended'] as const
export const member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  state: z.enum(MEMBER_STATES),
  lastSignIn: z.iso.datetime().nullable(),
  creationDate: z.iso.datetime(),
})
export type Member = z.infer<typeof member>
/** A member with the link that lets them choose a password, shown this once. */
const invitedMember = member.extend({ invitation: z.string() })

/** One entry of the audit log. `hash` is SHA-256 over the entry before it and this one's text. */
export const auditEntry = z.object({
  /** Position in the log of the organization, from 1, without gaps. */
  sequence: z.int(),
  time: z.iso.datetime(),
  actor: z.object({
    kind: z.enum(['user', 'api-key', 'operator', 'researcher', 'system']),
    id: z.string(),
    email: z.string(),
  }),
  /** What was done, `<area>.<verb>`, for example `site.update`. */
  action: z.string(),
  target: z.object({ kind: z.string(), id: z.string() }),
  /** The thing before and after, secrets masked; null where there was none. */
  before: z.unknown(),
  after: z.unknown(),
  requestId: z.string(),
  hash: z.string(),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** Of an entry of the audit log, who changed what and when: what a chart over time is marked with. */
export const changeMark = auditEntry.pick({
  sequence: true,
  time: true,
  actor: true,
  action: true,
  target: true,
})
export type ChangeMark = z.infer<typeof changeMark>
/** An answer names the newest so many changes of its window. */
export const CHANGE_MARKS_MAX = 500

const auditVerification = z.object({
  isIntact: z.boolean(),
  entries: z.int(),
  /** Hash of the last entry; keep it elsewhere to be able to prove later that nothing was cut off. */
  head: z.string(),
  /** The first entry that does not fit, null when all do. */
  firstBroken: z.int().nullable(),
})

const exampleApiKey = {
  id: EXAMPLE.keyId,
  name: 'pipeline',
  role: 'admin' as const,
  visiblePart: 'ak_live_0000…',
  expires: null,
  lastUsed: EXAMPLE.time,
  creationDate: EXAMPLE.time,
  createdBy: EXAMPLE.ownerEmail,
}
const exampleSecret = 'ak_live_0000000000000000000000000000000000000000000000000'
const exampleMember = {
  id: EXAMPLE.memberId,
  email: 'admin@example.com',
  name: 'Alex Admin',
  role: 'admin' as const,
  state: 'active' as const,
  lastSignIn: EXAMPLE.time,
  creationDate: EXAMPLE.time,
}
const exampleLink = 'https://sallyport.example.com/join?token=…'
const listQuery = z.object({ ...pageQuery, search: text(NAME_CHARS_MAX).optional(), role: role.optional() })

export const accessOperations = declareOperations({
  apiKeysList: {
    path: '/api/ApiKeys',
    summary: 'List API keys',
    description:
      'Newest first, without their secrets; `search` looks in their names. Revoked and expired keys are not listed.',
    permission: 'keys:read',
    query: listQuery,
    response: pageOf(apiKey),
    examples: { query: { role: 'viewer' }, response: { items: [exampleApiKey], next: null } },
  },
  apiKeysGet: {
    path: '/api/ApiKeys/{id}',
    summary: 'Read an API key',
    description: 'Without its secret. 404 where it was revoked or has expired.',
    permission: 'keys:read',
    params: idParams,
    response: apiKey,
    versioned: true,
    examples: { response: exampleApiKey },
  },
  apiKeysCreate: {
    method: 'POST',
    path: '/api/ApiKeys',
    summary: 'Create an API key',
    description:
      '`key` is shown in this answer and never again. `role` is admin unless given, and never above that of the caller; without `expires` the key lasts until it is revoked.',
    permission: 'keys:write',
    body: z.object({
      name: filledText(NAME_CHARS_MAX),
      role: role.optional(),
      expires: dateTime.nullable().optional(),
    }),
    response: newApiKey,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: {
      body: { name: 'pipeline', role: 'admin' },
      response: { ...exampleApiKey, lastUsed: null, key: exampleSecret },
    },
  },
  apiKeysUpdate: {
    method: 'PATCH',
    path: '/api/ApiKeys/{id}',
    summary: 'Rename an API key, or change when it expires',
    description: 'The role of a key cannot be changed: create another.',
    permission: 'keys:write',
    params: idParams,
    body: z.object({ name: filledText(NAME_CHARS_MAX), expires: dateTime.nullable() }).partial(),
    response: apiKey,
    versioned: true,
    examples: { body: { name: 'nightly pipeline' }, response: exampleApiKey },
  },
  apiKeysRotate: {
    method: 'POST',
    path: '/api/ApiKeys/{id}/rotate',
    summary: 'Replace an API key by a new one',
    description:
      'The new key has the name, role and expiry of the old one and is shown in this answer only. The old one works for `overlapSeconds` more (an hour unless given; 0 revokes it at once).',
    permission: 'keys:write',
    params: idParams,
    body: z.object({ overlapSeconds: z.int().min(0).max(KEY_OVERLAP_SECONDS_MAX).optional() }).optional(),
    response: newApiKey,
    status: 201,
    idempotent: true,
    examples: {
      body: { overlapSeconds: 600 },
      response: { ...exampleApiKey, lastUsed: null, key: exampleSecret },
    },
  },
  apiKeysRevoke: {
    method: 'DELETE',
    path: '/api/ApiKeys/{id}',
    summary: 'Revoke an API key',
    description: 'Refused everywhere within a second.',
    permission: 'keys:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
  membersList: {
    path: '/api/Members',
    summary: 'List the members of the organization',
    description: 'By e-mail address.',
    permission: 'members:read',
    query: listQuery,
    response: pageOf(member),
    examples: { query: { role: 'owner' }, response: { items: [exampleMember], next: null } },
  },
  membersGet: {
    path: '/api/Members/{id}',
    summary: 'Read a member',
    description: 'With the version that a change may name in `If-Match`.',
    permission: 'members:read',
    params: idParams,
    response: member,
    versioned: true,
    examples: { response: exampleMember },
  },
  membersInvite: {
    method: 'POST',
    path: '/api/Members',
    summary: 'Invite a member',
    description:
      'The link is shown in this answer and never again; the invited person chooses a password with it. With an identity provider of your own, the role applies when that address signs in.',
    permission: 'members:write',
    body: z.object({ email, name: text(NAME_CHARS_MAX).optional(), role }),
    response: invitedMember,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: {
      body: { email: 'admin@example.com', name: 'Alex Admin', role: 'admin' },
      response: { ...exampleMember, state: 'invited', lastSignIn: null, invitation: exampleLink },
    },
  },
  membersUpdate: {
    method: 'PATCH',
    path: '/api/Members/{id}',
    summary: "Change a member's name or role, suspend or restore them",
    description: 'The last active owner cannot be demoted or suspended: 409.',
    permission: 'members:write',
    params: idParams,
    body: z.object({ name: text(NAME_CHARS_MAX), role, isSuspended: z.boolean() }).partial(),
    response: member,
    versioned: true,
    examples: { body: { role: 'viewer' }, response: { ...exampleMember, role: 'viewer' } },
  },
  membersRenewInvitation: {
    method: 'POST',
    path: '/api/Members/{id}/invite',
    summary: 'Make a new link for a member to choose a password',
    description:
      'Links made before stop working. The link is shown in this answer and never again. With an issuer of the organization’s own, it also lets go of the subject that the member signed in as: whoever signs in next with the address is the member.',
    permission: 'members:write',
    params: idParams,
    response: invitedMember,
    status: 201,
    idempotent: true,
    examples: {
      response: { ...exampleMember, state: 'invited', lastSignIn: null, invitation: exampleLink },
    },
  },
  membersRemove: {
    method: 'DELETE',
    path: '/api/Members/{id}',
    summary: 'Remove a member',
    description:
      'Their sessions end and the API keys that they created stay. The last active owner cannot be removed: 409.',
    permission: 'members:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
  accountChangePassword: {
    method: 'POST',
    path: '/api/Account/changePassword',
    summary: 'Change your password',
    description:
      'For accounts of the embedded identity provider. Every session of the account ends, that of the caller too. 409 where members sign in with another issuer, 429 after too many wrong passwords.',
    permission: 'account:read',
    body: z.object({
      currentPassword: text(PASSWORD_CHARS_MAX),
      newPassword: text(PASSWORD_CHARS_MAX).min(PASSWORD_CHARS_MIN),
    }),
    status: 204,
    errors: ['conflict', 'too_many_requests'],
    examples: { body: { currentPassword: 'the present password', newPassword: 'another, longer password' } },
  },
  auditLogList: {
    path: '/api/AuditLog',
    summary: 'Read the audit log',
    description:
      'Newest first. Filter by `actor` (e-mail address), `action` (`site.update`, or a whole area as `site`), `target` (an id), and time (`gte`, `lt`).',
    permission: 'audit:read',
    query: z.object({
      ...pageQuery,
      actor: text(NAME_CHARS_MAX).optional(),
      action: text(NAME_CHARS_MAX).optional(),
      target: text(NAME_CHARS_MAX).optional(),
      gte: dateTime.optional(),
      lt: dateTime.optional(),
    }),
    response: pageOf(auditEntry),
    examples: {
      query: { action: 'site.update' },
      response: {
        items: [
          {
            sequence: 42,
            time: EXAMPLE.time,
            actor: { kind: 'user', id: EXAMPLE.userId, email: EXAMPLE.ownerEmail },
            action: 'site.update',
            target: { kind: 'site', id: EXAMPLE.siteId },
            before: { rateLimit: '' },
            after: { rateLimit: 'fixed' },
            requestId: EXAMPLE.requestId,
            hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          },
        ],
        next: null,
      },
    },
  },
  auditLogVerify: {
    path: '/api/AuditLog/verify',
    summary: 'Check the hash chain of the audit log',
    description:
      'Recomputes every hash. A removed, edited or reordered entry shows as `firstBroken`. With `head` from an earlier answer, kept elsewhere, a log that does not hold that hash any more is not intact either.',
    permission: 'audit:read',
    query: z.object({
      head: z
        .string()
        .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits')
        .optional(),
    }),
    response: auditVerification,
    examples: {
      response: {
        isIntact: true,
        entries: 42,
        head: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        firstBroken: null,
      },
    },
  },
})
