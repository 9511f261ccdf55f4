/** The admin API for the console: the client, with the token of the session; passed to every page through a React context. */
import { operationRoutes } from 'virtual:operation-routes'
import { type Client, createClientOf } from '@sallyport/client'
import type { OperationId } from '@sallyport/contract'
import { createContext, useContext } from 'react'
import type { ConsoleConfig } from '../session/console-config.ts'
import { keepAnsweredSecret } from '../session/kept-secrets.ts'
import type { ConsoleSession } from '../session/session.ts'
import { secretsIn } from './once-words.ts'
import { areaOf, createReachWatch, type Reach, type ReachWatch, useReachOf } from './reach.ts'
import { learnServerClock } from './server-clock.ts'

export interface Services {
  readonly api: Api
  readonly reach: ReachWatch
  readonly session: ConsoleSession
  readonly config: ConsoleConfig
}

const ServicesContext = createContext<Services | null>(null)
export const ServicesProvider = ServicesContext

export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (!services) throw new Error('useServices needs a ServicesProvider')
  return services
}

export { CallError, type CallOptions, type Input, type Output } from '@sallyport/client'
export type Api = Client

/** Whether the control plane answers. */
export const useReach = (): Reach => useReachOf(useServices().reach)

/** The API of a session, and what is known of whether it answers. */
export function createApi(session: ConsoleSession): Pick<Services, 'api' | 'reach'> {
  const reach = createReachWatch((id) => operationRoutes[id].path)
  const client = createClientOf(operationRoutes, {
    token: () => session.token(),
    renew: () => session.renew(),
    timeoutMs,
    answered: (headers) => learnServerClock(headers.get('date')),
    ended: (id, error) => {
      if (error === undefined) reach.answered(id)
      // A change that fails is said to where it was made.
      else if (operationRoutes[id].method === 'GET') reach.failed(id, error)
    },
  })
  const call: Api['call'] = async (id, input, options) => {
    const made = await client.call(id, input, options)
    for (const [label, value] of secretsIn(id, made)) if (value) keepAnsweredSecret(label, value)
    return made
  }
  return { api: { ...client, call }, reach }
}

/** Questions are polled, so one that hangs is known within ten seconds. */
const QUESTION_LIMIT_MS = 5_000
/** The traffic store is given twenty seconds by the control plane, and learning of it as much again. Large documents are compared in as long. */
const TRAFFIC_LIMIT_MS = 25_000
const LEARNING_LIMIT_MS = 60_000
/** A pack of evidence is written down whole before its first byte is sent. */
const PACK_LIMIT_MS = 600_000
/** A change may wait for an origin to be looked at; giving up early would leave it unknown whether it was made. */
const CHANGE_LIMIT_MS = 30_000
/** What learns from the traffic, or reads large documents, before it answers. */
const LEARNING: ReadonlySet<OperationId> = new Set([
  'sitesGetApiDefinition',
  'sitesCompareDocument',
  'sitesListOperations',
  'sitesCompareDefinition',
  'sitesGetDefinitionRule',
  'sitesGetCoverage',
  'projectsListChecks',
  'projectsExportChecks',
  'sitesGetCoverageAttempts',
  'sitesGetCoverageCrossings',
])

function timeoutMs(id: OperationId): number {
  const { method, path } = operationRoutes[id]
  if (id === 'evidenceGet') return PACK_LIMIT_MS
  if (LEARNING.has(id)) return LEARNING_LIMIT_MS
  if (areaOf(path) === 'traffic') return TRAFFIC_LIMIT_MS
  return method === 'GET' && id !== 'sitesDisable' ? QUESTION_LIMIT_MS : CHANGE_LIMIT_MS
}
