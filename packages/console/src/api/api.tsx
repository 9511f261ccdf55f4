/** The admin API for the console: the client, with the token of the session; passed to every page through a React context. */
import { operationRoutes } from 'virtual:operation-routes'
import { type Client, createClientOf } from '@sallyport/client'
import { createContext, useContext } from 'react'
import type { ConsoleConfig } from '../session/console-config.ts'
import type { ConsoleSession } from '../session/session.ts'

export interface Services {
  readonly api: Api
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

export const createApi = (session: ConsoleSession): Api =>
  createClientOf(operationRoutes, { token: () => session.token(), renew: () => session.renew() })
