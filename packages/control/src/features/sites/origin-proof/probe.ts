/**
 * Looks for a proof at an origin. It goes where callers send it, so it must be no tool against anybody: it connects to
 * addresses that the gateway might connect to and no others, resolved once and pinned (a name that changes its mind in
 * between gains nothing), at the port of the origin; it follows no redirect, reads at most a kibibyte within two seconds,
 * and says nothing of what it saw but whether the proof was there.
 */
import dns from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { ClientRequest, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { ORIGIN_PROOF_METHODS } from '@sallyport/contract'
import { type AddressPolicy, isWildcardHost } from '@sallyport/policy'
import { Semaphore } from '@sallyport/toolbox'
import { request as requestHttp } from '@sallyport/toolbox/node-http'
import { ProblemError } from '../../../errors.ts'
import type { AddressesOf } from '../../../outgoing/host-addresses.ts'
import { pinnedLookup } from '../../../outgoing/pinned-lookup.ts'
import type { SiteOrigin } from '../origin.ts'
import { authorityOf, fileUrlOf, recordNameOf } from './places.ts'

export type ProofMethod = (typeof ORIGIN_PROOF_METHODS)[number]

export interface OriginProbe {
  /** Whether the origin has addresses, and all of them lie in the private ranges that the operator allows. */
  isExempt(orgId: string, origin: SiteOrigin): Promise<boolean>
  /** The kind of range for which no address of the origin may be connected to; null where one may, and where there is none. */
  forbiddenRange(orgId: string, origin: SiteOrigin): Promise<string | null>
  /** Where one of the tokens is published, null where none is found in time. Throws where too many look at once. */
  find(orgId: string, origin: SiteOrigin, tokens: readonly string[]): Promise<ProofMethod | null>
}

export interface OriginProbeDependencies {
  readonly addressesOf: AddressesOf
  /** Which addresses the gateway may connect to, and which it might without the operator's leave. */
  readonly allowed: AddressPolicy
  readonly public: AddressPolicy
}

const TIMEOUT_MS = 2_000
const FILE_BYTES_MAX = 1_024
const HEAD_BYTES_MAX = 8_192
const AT_ONCE_MAX = 8
const WAITING_MAX = 32

export function createOriginProbe(dependencies: OriginProbeDependencies): OriginProbe {
  const { addressesOf, allowed } = dependencies
  const refusal = () => new ProblemError('unavailable')
  const semaphore = new Semaphore(AT_ONCE_MAX, { waitingMax: WAITING_MAX, refusal })
  return {
    async isExempt(orgId, { host }) {
      // Its hosts may be anywhere.
      if (isWildcardHost(host)) return false
      const addresses = await addressesOf(orgId, host)
      const isPrivate = (address: string) => dependencies.public.whyForbidden(address) !== null
      const isAllowed = (address: string) => allowed.whyForbidden(address) === null
      return addresses.length > 0 && addresses.every((address) => isPrivate(address) && isAllowed(address))
    },
    async forbiddenRange(orgId, { host }) {
      if (isWildcardHost(host)) return null
      const ranges = (await addressesOf(orgId, host)).map((address) => allowed.whyForbidden(address))
      return ranges.includes(null) ? null : (ranges[0] ?? null)
    },
    find: (orgId, origin, tokens) =>
      semaphore.run(async () => {
        const fileHolds = async () => {
          if (isWildcardHost(origin.host)) return false
          const addresses = await addressesOf(orgId, origin.host)
          return hasLine(await readFile(origin, allowed.choose(addresses).permitted), tokens)
        }
        const [isRecord, isFile] = await Promise.all([recordHolds(origin, tokens), fileHolds()])
        return isRecord ? 'dns' : isFile ? 'file' : null
      }),
  }
}

async function recordHolds(origin: SiteOrigin, tokens: readonly string[]): Promise<boolean> {
  const name = recordNameOf(origin)
  if (name === null) return false
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  // Those of the process as they are now; a named import would keep those of its start.
  resolver.setServers(dns.getServers())
  const late = setTimeout(() => resolver.cancel(), TIMEOUT_MS)
  try {
    const records = await resolver.resolveTxt(name)
    // A record longer than 255 bytes comes in pieces (RFC 1035, section 3.3.14).
    return records.some((pieces) => tokens.includes(pieces.join('').trim()))
  } catch {
    return false
  } finally {
    clearTimeout(late)
  }
}

const hasLine = (text: string, tokens: readonly string[]): boolean =>
  text.split('\n').some((line) => tokens.includes(line.trim()))

/** The file at one of these addresses, empty where there is none. */
function readFile(origin: SiteOrigin, addresses: readonly string[]): Promise<string> {
  const fileUrl = fileUrlOf(origin)
  if (addresses.length === 0 || fileUrl === null) return Promise.resolve('')
  const url = new URL(fileUrl)
  const options: RequestOptions = {
    host: origin.host,
    port: origin.port,
    path: url.pathname,
    agent: false,
    lookup: pinnedLookup(addresses),
    headers: { host: authorityOf(origin), accept: 'text/plain', 'user-agent': 'Sallyport' },
    maxHeaderSize: HEAD_BYTES_MAX,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }
  return readAnswer(origin.scheme === 'https' ? requestHttps(options) : requestHttp(options))
}

function readAnswer(sent: ClientRequest): Promise<string> {
  return new Promise((resolve) => {
    const end = (text: string): void => {
      resolve(text)
      sent.destroy()
    }
    sent.on('error', () => resolve(''))
    sent.once('close', () => resolve(''))
    sent.once('response', (answer) => {
      if (answer.statusCode !== 200) return end('')
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('error', () => end(''))
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > FILE_BYTES_MAX) return end('')
        chunks.push(chunk)
      })
      answer.once('end', () => end(Buffer.concat(chunks).toString('latin1')))
    })
    sent.end()
  })
}
