/** The public face of the client. */
export {
  CallError,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClientOf,
  type OperationRoute,
  type OperationRoutes,
  queryString,
  SilenceError,
  type UploadId,
} from './client.ts'
export { createClient } from './contract-client.ts'
export type { Input, Output } from './types.ts'
