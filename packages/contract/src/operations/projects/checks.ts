/** The check of a project item: how far it has come, by when, of which operations, and what the record says of it. */
import { z } from 'zod'
import { filledText, identifier, idParams, pageOf, pageQuery, text } from '../../fields.ts'
import { keysOf } from '../../keys-of.ts'
import {
  CHECK_ITEMS_MAX,
  CHECK_SITES_MAX,
  CHECK_TIES_CHARS_MAX,
  CHECK_TIES_MAX,
  NAME_CHARS_MAX,
  NOTE_CHARS_MAX,
} from '../../limits.ts'
import { ATTACK_CLASS_NAMES } from '../../rules/attack-classes.ts'
import { VERDICT_WORDS } from '../../traffic/verdicts.ts'
import { analyticsWindow, exampleWindow, windowQuery } from '../analytics/window.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

/** How far a check has come, with its meaning, in the order in which it usually goes. */
export const CHECK_STATES = {
  not_started: 'nobody has begun',
  in_progress: 'somebody is testing',
  passed: 'tested, and nothing was found',
  issues: 'tested, and something has to be mended and tested again',
  accepted: 'what was found stays as it is: the risk is accepted',
  not_applicable: 'out of scope, or there is nothing to test',
} as const
export type CheckState = keyof typeof CHECK_STATES
export const CHECK_STATE_NAMES: readonly CheckState[] = keysOf(CHECK_STATES)

/** The states of a check of which nothing is due any more. */
const CLOSED: ReadonlySet<CheckState> = new Set(['passed', 'accepted', 'not_applicable'])

/** Whether nothing is left to do of a check in this state. */
export const isCheckClosed = (state: CheckState): boolean => CLOSED.has(state)

/** The states that are somebody's decision and no test, so that a check in them says why. */
export const STATES_WITH_REASON: readonly CheckState[] = ['accepted', 'not_applicable']

/** A day, with neither a time nor a zone. The year 0 is none that a database knows. */
const day = z.iso.date().refine((value) => value >= '0001', 'must lie in the years 1 to 9999')

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** An operation by method and template, or a whole site where both are absent. */
const tieInput = z
  .strictObject({
    siteId: identifier,
    method: text(64).regex(METHOD, 'must be a method of HTTP').optional(),
    template: filledText(2_048).startsWith('/').optional(),
  })
  .refine((tie) => (tie.method === undefined) === (tie.template === undefined), {
    error: 'must be there where the other of method and template is',
    path: ['template'],
  })
export type CheckTieInput = z.infer<typeof tieInput>

const state = z.enum(CHECK_STATE_NAMES)
const attackClass = z.enum(ATTACK_CLASS_NAMES)

export const checkInput = z.strictObject({
  state,
  /** The day by which it is due, included. */
  dueDate: day.nullable().default(null),
  note: text(NOTE_CHARS_MAX).default(''),
  /** Classes of attack that were ordered; empty for all. */
  attackClasses: z.array(attackClass).max(ATTACK_CLASS_NAMES.length).default([]),
  ties: z.array(tieInput).max(CHECK_TIES_MAX).default([]),
})
export type CheckInput = z.output<typeof checkInput>

const check = z.strictObject({
  state,
  dueDate: z.string().nullable(),
  note: z.string(),
  attackClasses: z.array(attackClass),
  ties: z.array(
    z.strictObject({ siteId: z.string(), method: z.string().optional(), template: z.string().optional() }),
  ),
})
export type Check = z.infer<typeof check>

/** Whether what is tied is there: an operation may leave the definition, and a site the organization. Of a site whose API cannot be learned now it is unknown. */
export const TIE_STATES = ['in_force', 'vanished', 'site_removed', 'unknown'] as const

const verdict = z.enum(VERDICT_WORDS)

/** What the record of the window says of a check. */
const checkVerdict = z.object({
  /** Operations in force that it is tied to, and those of them of which none of its classes was tried. */
  operations: z.int(),
  untested: z.int(),
  /** Requests of any kind to them. */
  requests: z.int(),
  /** Attempts of its classes; one request counts once in each class. */
  attempts: z.int(),
  /** Attempts that the origin answered. */
  reachedOrigin: z.int(),
  /** Attempts that the gate refused, so that nothing is known of the origin. */
  refusedByGate: z.int(),
  verdicts: z.partialRecord(verdict, z.int()),
  /** The verdict that came furthest; null where nothing was tried. */
  verdict: verdict.nullable(),
  /** Who tried, at most 100. */
  hackers: z.array(z.string()),
  /** Classes of the check that nobody tried on any of its operations. */
  untried: z.array(z.string()),
  lastSeen: z.iso.datetime().nullable(),
  /** Whether more was recorded than was read. */
  isPartial: z.boolean(),
})
export type CheckVerdict = z.infer<typeof checkVerdict>

const projectCheck = z.object({
  /** Of the item. */
  id: z.string(),
  name: z.string().nullable(),
  type: z.string().nullable(),
  location: z.string().nullable(),
  state,
  dueDate: z.string().nullable(),
  /** Whether its day has passed in the time zone that was asked for, and something is left to do. */
  isOverdue: z.boolean(),
  note: z.string(),
  attackClasses: z.array(attackClass),
  ties: z.array(
    z.object({
      siteId: z.string(),
      /** As the site is called now; empty where it was removed. */
      gatedName: z.string(),
      method: z.string().optional(),
      template: z.string().optional(),
      status: z.enum(TIE_STATES),
    }),
  ),
  /** Null where it is tied to nothing. */
  verdict: checkVerdict.nullable(),
})
export type ProjectCheck = z.infer<typeof projectCheck>

const projectChecks = z.object({ ...analyticsWindow, ...pageOf(projectCheck).shape })
export type ProjectChecks = z.infer<typeof projectChecks>

/** A definition that only renames the parameters of a path has the same operations. */
const shapeOf = (template: string): string => template.replaceAll(/\{[^{}]*\}/g, '{}')

interface NamedOperation {
  readonly method: string
  readonly template: string
}

/** The same of a tie to an operation, and of the operation that it means. No method has a space. */
export const tiedKey = ({ method, template }: NamedOperation): string => `${method} ${shapeOf(template)}`

const checksWindow = { gte: windowQuery.gte, lte: windowQuery.lte, timeZone: windowQuery.timeZone }

const exampleCheck = {
  state: 'in_progress',
  dueDate: '2026-12-18',
  note: 'With and without a session.',
  attackClasses: ['sql_injection' as const],
  ties: [{ siteId: EXAMPLE.siteId, method: 'GET', template: '/orders/{id}' }],
} satisfies Check

const exampleListed = {
  ...{ id: EXAMPLE.itemId, name: 'Checkout API', type: 'api', location: null },
  ...exampleCheck,
  isOverdue: false,
  ties: [{ ...exampleCheck.ties[0], gatedName: EXAMPLE.gatedName, status: 'in_force' }],
  verdict: {
    ...{ operations: 1, untested: 0, requests: 100, attempts: 41, reachedOrigin: 38, refusedByGate: 3 },
    verdicts: { reached: 38, firewall: 3 },
    verdict: 'reached',
    hackers: [EXAMPLE.hackerId, EXAMPLE.memberId],
    untried: [],
    lastSeen: EXAMPLE.later,
    isPartial: false,
  },
}

const WINDOW_WORDS =
  'The window is that of the project unless given: from its launch to its end, or to the end of its retest, and the last 30 days where it has no launch.'

export const checkOperations = declareOperations({
  projectsListChecks: {
    path: '/api/Projects/{id}/checks',
    summary: 'The checks of a project, with what the record says of each',
    description: `Each item, newest first, with its state, its due date, what it is tied to, and how often that was tried, by whom, and what became of it. ${WINDOW_WORDS} A page ends where its items are tied to ${CHECK_SITES_MAX} sites. \`timeZone\` decides which day it is.`,
    permission: 'traffic:read',
    params: idParams,
    query: z.object({
      ...checksWindow,
      limit: pageQuery.limit.unwrap().max(CHECK_ITEMS_MAX).default(CHECK_ITEMS_MAX),
      cursor: pageQuery.cursor,
      search: text(NAME_CHARS_MAX).optional(),
    }),
    response: projectChecks,
    examples: {
      query: { timeZone: 'Europe/Budapest' },
      response: { ...exampleWindow, items: [exampleListed], next: null },
    },
  },
  projectsExportChecks: {
    path: '/api/Projects/{id}/checks/export',
    summary: 'Export the checks of a project',
    description: `As CSV (formula-safe): a row for each item. ${WINDOW_WORDS}`,
    permission: 'traffic:export',
    params: idParams,
    query: z.object(checksWindow),
    format: 'stream',
    examples: {
      response: {
        'text/csv': 'name,type,location,state,dueDate,overdue\r\nCheckout API,api,,passed,,no\r\n',
      },
    },
  },
  projectsGetCheck: {
    path: '/api/Projects/items/{id}/check',
    summary: 'Read the check of a project item',
    description: 'Without what the record says of it. An item begins as `not_started`, tied to nothing.',
    permission: 'projects:read',
    params: idParams,
    response: check,
    versioned: true,
    examples: { response: exampleCheck },
  },
  projectsSetCheck: {
    method: 'PUT',
    path: '/api/Projects/items/{id}/check',
    summary: 'Set the check of a project item',
    description: `Replaces the whole check; the item stays as it is. \`${STATES_WITH_REASON.join('` and `')}\` need a \`note\`. A tie names an operation by \`method\` and \`template\`, or a whole site without both; at most ${CHECK_TIES_MAX}, of ${CHECK_SITES_MAX} sites, with ${CHECK_TIES_CHARS_MAX} characters together. A site that the organization does not have is a 400. Ties outlive what they name, and say so.`,
    permission: 'projects:write',
    params: idParams,
    body: checkInput,
    response: check,
    versioned: true,
    examples: { body: exampleCheck, response: exampleCheck },
  },
})
