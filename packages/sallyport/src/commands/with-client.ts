/** Calls of a running control plane by a command: what it refuses, and its being out of reach, said as every command does. */
import type { Client } from '@sallyport/client'
import { OperatorError } from '../operator-error.ts'
import type { Access } from './access.ts'

/** Runs `work` with a client. Prints a refusal to standard error, each invalid field on a line, and sets the exit status to 1. */
export async function withClient(access: Access, work: (client: Client) => Promise<void>): Promise<void> {
  const { ApiError, createClient } = await import('@sallyport/client')
  const client = createClient({ baseUrl: access.url, token: async () => access.key })
  try {
    await work(client)
  } catch (error) {
    if (!(error instanceof ApiError)) throw unreachable(error, access.url)
    const { status, detail, errors = [] } = error.problem
    console.error(`sallyport: ${status} ${detail}`)
    for (const { path, message } of errors) console.error(`  ${path}: ${message}`)
    process.exitCode = 1
  }
}

function unreachable(error: unknown, url: string): unknown {
  if (!(error instanceof TypeError) || error.message !== 'fetch failed') return error
  const { cause } = error
  return new OperatorError(
    `${url} does not answer: ${cause instanceof Error ? cause.message : 'no connection'}`,
  )
}
