import { hkdfSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONWebKeySet } from 'jose'
import type Provider from 'oidc-provider'
import type { Database } from '../../database/database.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { SIGN_IN_WINDOW_MS } from '../sign-in/sign-in-limits.ts'
import { createAdapter } from './adapter.ts'
import { IDENTITY_PATH, issuerOf, type MemberClaims, providerConfiguration } from './configuration.ts'
import { hostCookies, keepsSecureCookies, showLibraryCookies } from './host-cookies.ts'
import { pageHeaders } from './page.ts'
import { maintainSigningKeys, type SigningKey, type SigningKeys } from './signing-keys.ts'
import { createArtifactStore, removeExpired } from './store.ts'

const MAINTENANCE_INTERVAL_MS = 10 * 60_000

export interface EmbeddedProviderOptions {
  readonly publicUrl: string
  readonly database: Database
  readonly cipher: Cipher
  readonly secretKey: Buffer
  /** What they have signed is believed still. */
  readonly earlierSecretKeys: readonly Buffer[]
  readonly findMember: (memberId: string) => Promise<MemberClaims | undefined>
  /** Called with failures on our side, never with a user's mistakes. */
  readonly failed: (error: unknown) => void
}

export interface EmbeddedProvider {
  /** The library's provider; another one after a change of signing keys. The library is loaded when it is first asked for. */
  current(): Promise<Provider>
  /** Public halves of the keys that tokens may be signed with. */
  publicKeys(): JSONWebKeySet
  /** Answers a request whose path begins with `IDENTITY_PATH`. */
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/** A key for one purpose, derived from the installation's secret key (HKDF, RFC 5869). */
export const derivedKey = (secretKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `sallyport:${purpose}`, 32))

/** Starts the identity provider: reads or makes its keys, and looks after keys and expired rows from then on. */
export async function startEmbeddedProvider(options: EmbeddedProviderOptions): Promise<EmbeddedProvider> {
  const { database, cipher, publicUrl, failed } = options
  let keys = await maintainSigningKeys(database, cipher, Date.now())
  let made: Promise<LoadedProvider> | undefined
  const provided = (): Promise<LoadedProvider> => {
    if (made) return made
    const making = createProvider(options, keys)
    // What is missing now may be there at the next attempt.
    making.catch(() => {
      if (made === making) made = undefined
    })
    made = making
    return making
  }

  const maintain = async (): Promise<void> => {
    const present = await maintainSigningKeys(database, cipher, Date.now())
    if (kidsOf(present) !== kidsOf(keys)) made = undefined
    keys = present
    await database.writeInstallation((tx) => removeExpired(tx, SIGN_IN_WINDOW_MS))
  }
  let maintaining = Promise.resolve()
  const timer = setInterval(() => {
    maintaining = maintain().catch(failed)
  }, MAINTENANCE_INTERVAL_MS)
  timer.unref()

  return {
    current: async () => (await provided()).provider,
    publicKeys: () => ({ keys: keys.map(publicHalf) }),
    handle(request, response) {
      addressAsPublished(request, publicUrl)
      provided().then(
        // The library answers its own failures; what is left is a bug of it, emitted as its `error` event.
        ({ listener }) => listener(request, response).catch(failed),
        (error: unknown) => {
          failed(error)
          response.writeHead(500).end()
        },
      )
    },
    async close() {
      clearInterval(timer)
      await maintaining
    },
  }
}

interface LoadedProvider {
  readonly provider: Provider
  readonly listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

/** One in six files that a control plane would load is of this library, which only those who sign in need. */
async function createProvider(
  options: EmbeddedProviderOptions,
  signingKeys: SigningKeys,
): Promise<LoadedProvider> {
  const library = await import('oidc-provider')
  const { publicUrl, secretKey, earlierSecretKeys, cipher, findMember, failed } = options
  const store = createArtifactStore(options.database)
  const provider = new library.default(
    issuerOf(publicUrl),
    providerConfiguration(library, {
      publicUrl,
      findMember,
      signingKeys,
      adapter: (model) => createAdapter(model, store, cipher, library.errors),
      cookieKeys: [secretKey, ...earlierSecretKeys].map((key) =>
        derivedKey(key, 'identity cookies').toString('base64url'),
      ),
    }),
  )
  // What it believes of `X-Forwarded-*` is what `addressAsPublished` has written there.
  provider.proxy = true
  provider.use(async (ctx, next) => {
    ctx.set(pageHeaders())
    ctx.remove('content-type')
    await next()
  })
  if (keepsSecureCookies(publicUrl))
    provider.use(async (ctx, next) => {
      const header = showLibraryCookies(ctx.req, ctx.path)
      await next()
      const lines = ctx.res.getHeader('set-cookie')
      if (lines === undefined) return
      ctx.res.setHeader('set-cookie', hostCookies.sent([lines].flat().map(String), ctx.path, header))
    })
  // Koa's own event, which the types of the library leave out.
  const emitter: NodeJS.EventEmitter = provider
  emitter.on('error', failed)
  provider.on('server_error', (_ctx, error) => failed(error))
  return { provider, listener: provider.callback() }
}

/**
 * The library makes URLs from the address that a request was sent to. Proxies rewrite that and attackers invent it, so
 * it is replaced by the published one, and nothing that the client says of it is believed.
 */
function addressAsPublished(request: IncomingMessage, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl)
  request.headers.host = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  delete request.headers['x-forwarded-host']
  delete request.headers[':authority']
  const path = request.url ?? ''
  // From the difference of the two the library knows under which path it is mounted.
  Object.assign(request, { originalUrl: path })
  request.url = path.slice(IDENTITY_PATH.length) || '/'
}

const kidsOf = (keys: SigningKeys): string => keys.map((key) => key.kid).join(' ')

/** Member by member, so that nothing private can slip through. */
const publicHalf = ({ kty, crv, x, y, kid, alg, use }: SigningKey) => ({ kty, crv, x, y, kid, alg, use })
