/** Coverage of a site: which operation, parameter and class of attack was tried, by whom, and what became of it. */
import { z } from 'zod'
import { identifier, idParams, repeated, text } from '../../fields.ts'
import { UNTESTED_WORDS, VERDICT_WORDS } from '../../traffic/verdicts.ts'
import { exampleNames, includeNames, NAMES_WORDS, researcherNames } from '../analytics/included.ts'
import { analyticsWindow, exampleWindow, windowQuery } from '../analytics/window.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

/** Formats for pipelines and spreadsheets. */
export const COVERAGE_FORMATS = ['csv', 'sarif', 'junit'] as const
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number]

export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const

/** Counts above which a pipeline is to fail. */
export const COVERAGE_BOUNDS = ['maxUntested', 'maxRefusedByGate', 'maxServerErrors'] as const
const bound = z.coerce.number<number | string>().int().min(0).max(1_000_000).optional()

const verdict = z.enum(VERDICT_WORDS)
/** Attempts by what became of them; a verdict that no attempt had is absent. */
const verdicts = z.partialRecord(verdict, z.int())
const moments = { firstSeen: z.iso.datetime(), lastSeen: z.iso.datetime() }

const scopeQuery = {
  gte: windowQuery.gte,
  lte: windowQuery.lte,
  timeZone: windowQuery.timeZone,
  /** Keeps what these researchers sent. */
  hacker: repeated(identifier).optional(),
}
const coverageQuery = {
  ...scopeQuery,
  maxUntested: bound,
  maxRefusedByGate: bound,
  maxServerErrors: bound,
}

/** Attempts of one class; a class that was never tried has none. */
const coverageCell = z.object({
  class: z.string(),
  /** The verdict that came furthest. */
  verdict,
  attempts: z.int(),
  verdicts,
  /** Who tried, at most 100, and of a map with many operations fewer of each cell, at least 5 if there are. Empty where `hackers=false` was asked for. */
  hackers: z.array(z.string()),
  /** How many tried, named or not, at most 100: where they were counted, as for an export. */
  hackerCount: z.int().optional(),
  ...moments,
})
export type CoverageCell = z.infer<typeof coverageCell>

const operationName = { method: z.string(), template: z.string() }

const coverageParameter = z.object({
  place: z.enum(PARAMETER_PLACES),
  /** Empty for a body or path as a whole. */
  name: z.string(),
  /** Whether the definition names it. */
  isDefined: z.boolean(),
  cells: z.array(coverageCell),
})
export type CoverageParameter = z.infer<typeof coverageParameter>

const coveredOperation = z.object({
  ...operationName,
  /** Whether it is of the uploaded definition, or learned of the traffic. */
  source: z.enum(['given', 'confirmed', 'learned']),
  /** Requests of any kind, and what became of them. */
  requests: z.int(),
  verdicts,
  /** Requests that the gate refused before the firewall looked, so that nobody knows whether they were attempts. */
  uninspected: z.int(),
  hackers: z.array(z.string()),
  lastSeen: z.iso.datetime().nullable(),
  /** The verdict of all its cells that came furthest; null where no class was tried. */
  verdict: verdict.nullable(),
  /** Why no class was tried; null where one was. */
  untested: z.enum(UNTESTED_WORDS).nullable(),
  /** Classes that were tried. */
  cells: z.array(coverageCell),
  /** Only where `parameters` was asked for. */
  parameters: z.array(coverageParameter).optional(),
})
export type CoveredOperation = z.infer<typeof coveredOperation>

const attackClass = z.object({
  class: z.string(),
  words: z.string(),
  owaspApi: z.array(z.string()),
  wstg: z.array(z.string()),
  cwe: z.array(z.int()),
})

export const coverageMap = z.object({
  ...analyticsWindow,
  classes: z.array(attackClass),
  operations: z.array(coveredOperation),
  /** Methods that were tried at a template without the definition naming them, most requests first, at most 500. */
  otherMethods: z.array(
    z.object({ ...operationName, requests: z.int(), verdicts, hackers: z.array(z.string()) }),
  ),
  /** What concerned no operation of the definition. */
  elsewhere: z.object({ requests: z.int(), attempts: z.int() }),
  summary: z.object({
    operations: z.int(),
    /** Operations of which no class was tried. */
    untested: z.int(),
    /** Those of them of which the gate refused every request. */
    untestedRefused: z.int(),
    /** Operations of which every attempt was refused by the gate. */
    refusedByGate: z.int(),
    /** Cells with an answer 5xx. */
    serverErrors: z.int(),
    /** Pairs of an operation and a class: all, tried, and tried but always refused by the gate. */
    cells: z.int(),
    triedCells: z.int(),
    refusedCells: z.int(),
  }),
  /** What was asked for as bounds, and which of them is exceeded. */
  bounds: z.object({
    passed: z.boolean(),
    exceeded: z.array(z.object({ bound: z.enum(COVERAGE_BOUNDS), limit: z.int(), count: z.int() })),
  }),
  /** Whether more was recorded than one answer holds: what was rarest is then left out. */
  isPartial: z.boolean(),
})
export type CoverageMap = z.infer<typeof coverageMap>

/** The attempts of one cell, each line of one researcher, parameter, verdict and refusing rule. */
export const coverageAttempts = z.object({
  ...analyticsWindow,
  ...operationName,
  class: z.string(),
  rows: z.array(
    z.object({
      hacker: z.string(),
      part: z.string(),
      parameter: z.string(),
      verdict,
      status: z.int(),
      /** The rule that refused, or the reason; empty where the origin answered. */
      by: z.string(),
      attempts: z.int(),
      ...moments,
    }),
  ),
  /** Recorded routes that the template covers, the busiest first, at most 20, to look the requests up by. */
  routes: z.array(z.string()),
  isPartial: z.boolean(),
})
export type CoverageAttempts = z.infer<typeof coverageAttempts>

/** Objects that several researchers reached, each under their own account at the gate. */
export const coverageCrossings = z.object({
  ...analyticsWindow,
  names: z.object({ owaspApi: z.array(z.string()), wstg: z.array(z.string()), cwe: z.array(z.int()) }),
  /** How many objects both of two researchers reached, the most first. */
  pairs: z.array(z.object({ hackers: z.array(z.string()), objects: z.int() })),
  operations: z.array(
    z.object({
      ...operationName,
      /** Objects that at least two researchers reached. */
      objects: z.int(),
      /** Those that most reached, at most 10. */
      samples: z.array(
        z.object({
          path: z.string(),
          hackers: z.array(z.string()),
          requests: z.int(),
          lastSeen: z.iso.datetime(),
        }),
      ),
    }),
  ),
  isPartial: z.boolean(),
})
export type CoverageCrossings = z.infer<typeof coverageCrossings>

const exampleCell = {
  class: 'sql_injection',
  verdict: 'reached' as const,
  attempts: 12,
  verdicts: { reached: 9, firewall: 3 },
  hackers: [EXAMPLE.hackerId],
  firstSeen: EXAMPLE.time,
  lastSeen: EXAMPLE.later,
}
const exampleOperation = { method: 'GET', template: '/orders/{id}' }

export const coverageOperations = declareOperations({
  sitesGetCoverage: {
    params: idParams,
    path: '/api/Sites/{id}/coverage',
    summary: 'Coverage of a site: what was tried, and what became of it',
    description:
      'For each operation of the API definition, given or learned, and each class of attack: how often it was tried, by whom, when, and with which verdict. An attempt is a request in which the firewall recognized the class; one that no rule recognizes is none. With `parameters=true` also by parameter, and sooner with `hackers=false`, which leaves the lists of hackers empty. `maxUntested`, `maxRefusedByGate` and `maxServerErrors` are bounds, which `bounds` compares. The window is the last 30 days unless given.',
    permission: 'traffic:read',
    query: z.object({
      ...coverageQuery,
      parameters: z.enum(['true', 'false']).default('false'),
      hackers: z.enum(['true', 'false']).default('true'),
    }),
    response: coverageMap,
    examples: {
      query: { gte: 'now-30d', maxUntested: '5' },
      response: {
        ...exampleWindow,
        classes: [
          { class: 'sql_injection', words: 'SQL injection', owaspApi: [], wstg: ['WSTG-INPV-05'], cwe: [89] },
        ],
        operations: [
          {
            ...exampleOperation,
            source: 'given' as const,
            requests: 100,
            verdicts: { reached: 97, firewall: 3 },
            uninspected: 0,
            hackers: [EXAMPLE.hackerId],
            lastSeen: EXAMPLE.later,
            verdict: 'reached' as const,
            untested: null,
            cells: [exampleCell],
          },
        ],
        otherMethods: [],
        elsewhere: { requests: 7, attempts: 1 },
        summary: {
          operations: 1,
          untested: 0,
          untestedRefused: 0,
          refusedByGate: 0,
          serverErrors: 0,
          cells: 21,
          triedCells: 1,
          refusedCells: 0,
        },
        bounds: { passed: true, exceeded: [] },
        isPartial: false,
      },
    },
  },
  sitesGetCoverageAttempts: {
    params: idParams,
    path: '/api/Sites/{id}/coverage/attempts',
    summary: 'The attempts of one class of attack on one operation',
    description:
      'Who tried it, in which parameter, how often, when, and what became of it; the most frequent first, 1,000 at most. An attempt in two parameters is in two rows.',
    permission: 'traffic:read',
    query: z.object({
      ...scopeQuery,
      method: text(64).min(1),
      template: text(2_048).min(1),
      class: text(128).min(1),
    }),
    response: coverageAttempts,
    examples: {
      query: { method: 'GET', template: '/orders/{id}', class: 'sql_injection' },
      response: {
        ...exampleWindow,
        ...exampleOperation,
        class: 'sql_injection',
        rows: [
          {
            hacker: EXAMPLE.hackerId,
            part: 'query',
            parameter: 'page',
            verdict: 'firewall' as const,
            status: 403,
            by: 'crs-942-100',
            attempts: 3,
            firstSeen: EXAMPLE.time,
            lastSeen: EXAMPLE.later,
          },
        ],
        routes: ['/orders/{id}'],
        isPartial: false,
      },
    },
  },
  sitesGetCoverageCrossings: {
    params: idParams,
    path: '/api/Sites/{id}/coverage/crossings',
    summary: 'Objects of a site that several researchers reached',
    description:
      'An object is a concrete path of an operation whose template has a parameter. Counted are those that at least two researchers were answered 2xx by the origin: whether the second was meant to reach it, only the organization knows. Which account of the origin they used is not recorded. ' +
      NAMES_WORDS,
    permission: 'traffic:read',
    query: z.object({ ...scopeQuery, include: includeNames }),
    response: coverageCrossings.extend({ researcherNames }),
    examples: {
      query: { gte: 'now-30d', include: 'names' },
      response: {
        ...exampleWindow,
        names: { owaspApi: ['API1:2023'], wstg: ['WSTG-ATHZ-04'], cwe: [639] },
        pairs: [{ hackers: [EXAMPLE.hackerId, EXAMPLE.memberId], objects: 1 }],
        operations: [
          {
            ...exampleOperation,
            objects: 1,
            samples: [
              {
                path: '/orders/7',
                hackers: [EXAMPLE.hackerId, EXAMPLE.memberId],
                requests: 4,
                lastSeen: EXAMPLE.later,
              },
            ],
          },
        ],
        isPartial: false,
        researcherNames: exampleNames,
      },
    },
  },
  sitesExportCoverage: {
    params: idParams,
    path: '/api/Sites/{id}/coverage/export',
    summary: 'Export the coverage of a site',
    description:
      'Each operation with each class of attack, those that were never tried included: `csv` (formula-safe), `sarif` (2.1.0) or `junit` (never tried, and clean because refused by the gate, are skipped). A bound that is exceeded is a failure in `junit` and an error notification in `sarif`; a `csv` says nothing of bounds.',
    permission: 'traffic:export',
    query: z.object({ ...coverageQuery, format: z.enum(COVERAGE_FORMATS).default('csv') }),
    format: 'stream',
    examples: {
      query: { format: 'junit', maxUntested: '5' },
      response: {
        'text/csv':
          'method,template,source,place,parameter,class,verdict,attempts,hackers,firstSeen,lastSeen,owaspApi,wstg,cwe\r\nGET,/orders/{id},given,,,sql_injection,untested,0,0,,,,WSTG-INPV-05,CWE-89\r\n',
        'application/sarif+json': '{"version":"2.1.0","runs":[]}',
        'application/xml':
          '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="coverage" tests="0" failures="0" skipped="0"></testsuites>\n',
      },
    },
  },
})
