/** The API, the session and the installation's settings, passed to every page through a React context. */
import { createContext, useContext } from 'react'
import type { ConsoleConfig } from '../session/console-config.ts'
import type { ConsoleSession } from '../session/session.ts'
import type { Api } from './api.ts'

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
