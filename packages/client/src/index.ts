/** The public face of the client. */
export { ApiError, type CallOptions, type Client, type ClientOptions, createClient } from './client.ts'
export type { Input, Output } from './types.ts'
