/** The admin API for the console: the client, with the token of the session. */

import { operationRoutes } from 'virtual:operation-routes'
import { type Client, createClientOf } from '@sallyport/client'
import type { ConsoleSession } from '../session/session.ts'

export { CallError, type CallOptions, type Input, type Output } from '@sallyport/client'
export type Api = Client

export const createApi = (session: ConsoleSession): Api =>
  createClientOf(operationRoutes, { token: () => session.token(), renew: () => session.renew() })
