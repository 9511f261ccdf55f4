/**
 * Closing by the operator's port: `GET /closures` says what is closed here, `POST /closures` closes or opens. Both need the
 * gateway's admin token, which is this gateway's own.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  CLOSURE_SCOPES,
  CLOSURE_TEXT_CHARS_MAX,
  type ClosureAct,
  type ClosureScope,
} from '@sallyport/contract/words'
import type { Closures } from '../closures/closures.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'

const BODY_BYTES_MAX = 4_096

export interface ClosureCallParts {
  readonly closures: Closures
  readonly snapshots: SnapshotSource
  readonly adminToken: string
}

interface ClosureAnswer {
  readonly status: number
  readonly body: object
}

type Asked = Pick<ClosureAct, 'act' | 'scope' | 'by' | 'reason'>

/** Makes what answers a call of `/closures`. */
export function createClosureCalls({ closures, snapshots, adminToken }: ClosureCallParts) {
  const expected = digest(`Bearer ${adminToken}`)
  return async (request: IncomingMessage): Promise<ClosureAnswer> => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      return refusal(401, 'the admin token of this gateway is needed')
    const state = () => ({ closed: closures.closed, unreported: closures.unreported.length })
    if (request.method === 'GET') return { status: 200, body: state() }
    if (request.method !== 'POST') return refusal(405, 'GET or POST')
    const asked = readAsked(await readBody(request))
    if (!asked) return refusal(400, 'act, scope, by and reason are needed, each as docs/operations.md has it')
    const scope = resolve(asked.scope, closures, snapshots)
    if (!scope) return refusal(404, `this gateway knows no ${asked.scope.kind} ${asked.scope.id}`)
    try {
      await closures[asked.act](scope, asked.by, asked.reason)
    } catch {
      const words = asked.act === 'close' ? 'it is closed, and a restart would open it' : 'it is still closed'
      return refusal(500, `what is closed cannot be written down: ${words}`)
    }
    return { status: 200, body: state() }
  }
}

const refusal = (status: number, error: string): ClosureAnswer => ({ status, body: { error } })

/** Digests have one length, so that they are compared in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Undefined where it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function readAsked(text: string | undefined): Asked | undefined {
  try {
    const { act, scope, by, reason }: Partial<Asked> = JSON.parse(text ?? '')
    const isScope = scope !== undefined && CLOSURE_SCOPES.includes(scope.kind) && isText(scope.id ?? '', 0)
    if ((act !== 'close' && act !== 'open') || !isScope || !isText(by, 1) || !isText(reason, 1))
      return undefined
    return { act, scope: { kind: scope.kind, id: scope.kind === 'everything' ? '' : scope.id }, by, reason }
  } catch {
    return undefined
  }
}

const isText = (value: unknown, charsMin: number): value is string =>
  typeof value === 'string' && value.length >= charsMin && value.length <= CLOSURE_TEXT_CHARS_MAX

/** By its id; a site also by its gated name. Undefined where it is not known here, and is not closed either. */
function resolve(
  { kind, id }: ClosureScope,
  closures: Closures,
  { current }: SnapshotSource,
): ClosureScope | undefined {
  if (kind === 'everything' || closures.closed.some(({ scope }) => scope.kind === kind && scope.id === id))
    return { kind, id }
  if (kind === 'researcher') return current.researcher(id) && { kind, id }
  const site = current.site(id) ?? current.siteByHost(id.toLowerCase())
  return site && { kind, id: site.config.id }
}
