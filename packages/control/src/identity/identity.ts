/**
 * Everything about who is calling, put together: the verification of tokens, and the embedded identity provider where
 * there is no issuer of the organization's own.
 */
import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.ts'
import type { Cipher } from '../secrets/cipher.ts'
import type { ControlSettings, OidcSettings } from '../settings.ts'
import { type ApiKeyVerifier, createApiKeyVerifier } from './api-keys/api-key-verifier.ts'
import { createKeyUsage } from './api-keys/key-usage.ts'
import { findApiKeys, recordKeyUses } from './api-keys/store.ts'
import { type Authenticate, createAuthenticator } from './authenticator.ts'
import { discoverIssuerKeys } from './issuer/issuer-discovery.ts'
import { createIssuerKeys } from './issuer/issuer-keys.ts'
import { createIssuerUsers } from './issuer/issuer-users.ts'
import { createJwtVerifier, type JwtVerifier } from './issuer/jwt.ts'
import {
  audienceOf,
  CONSOLE_CLIENT_ID,
  CONSOLE_SCOPE,
  issuerOf,
  TOKEN_ALGORITHM,
} from './provider/configuration.ts'
import { createDeviceCookies } from './provider/device-cookie.ts'
import { derivedKey, type EmbeddedProvider, startEmbeddedProvider } from './provider/embedded-provider.ts'
import { addIdentityRoutes, invitationUrl } from './provider/routes.ts'
import { createSignIn } from './provider/sign-in.ts'
import { type Accounts, createAccounts } from './sign-in/accounts.ts'
import { createPasswordHasher } from './sign-in/passwords.ts'
import { createRefusedSignIns } from './sign-in/refused-sign-ins.ts'
import { createSignInLimits } from './sign-in/sign-in-limits.ts'
import { createAttemptCounters } from './sign-in/store-attempts.ts'
import { findMemberById } from './store-members.ts'
import { createLocalUsers, type UserResolver } from './users.ts'

export interface IdentityOptions {
  readonly settings: Pick<ControlSettings, 'publicUrl' | 'secretKey' | 'earlierSecretKeys' | 'oidc'>
  readonly database: Database
  readonly cipher: Cipher
  /** Writes a line of the log that operators should see. */
  readonly warn: (fields: object, line: string) => void
  /** Told of failures on our side, for the log. */
  readonly failed: (error: unknown) => void
}

/** Where and how the console signs in. */
export interface ConsoleSignIn {
  readonly issuer: string
  readonly clientId: string
  readonly scope: string
  readonly audience: string
}

export interface Identity {
  readonly authenticate: Authenticate
  readonly consoleSignIn: ConsoleSignIn
  /** Local accounts; null with an issuer of the organization's own. */
  readonly accounts: Accounts | null
  /** The link by which a member sets a password; with an issuer of its own, where members just sign in. */
  invitationUrl(token: string): string
  /** Adds the routes of the embedded provider, if there is one. */
  addRoutes(app: FastifyInstance): Promise<void>
  /** To be called after a change of API keys or members: this process forgets what it knew of them. */
  forget(): void
  /** Stops background work and writes what is pending. */
  close(): Promise<void>
}

/** What differs between the two kinds of issuer. */
interface Issuer {
  readonly verifyJwt: JwtVerifier
  readonly users: UserResolver
  readonly consoleSignIn: ConsoleSignIn
  readonly provider: EmbeddedProvider | null
}

export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { database, settings } = options
  const { publicUrl } = settings
  const usage = createKeyUsage({
    write: async (orgId, usedAt) =>
      void (await database.write(orgId, (tx) => recordKeyUses(tx, orgId, usedAt))),
    failed: options.failed,
  })
  const apiKeys = createApiKeyVerifier({
    find: (lookup) => database.readInstallation((tx) => findApiKeys(tx, lookup)),
    used: usage.used,
  })
  const issuer = settings.oidc ? externalIssuer(settings.oidc, options) : await embeddedIssuer(options)
  const { verifyJwt, users, consoleSignIn, provider } = issuer
  const forget = () => forgetAll(apiKeys, users)
  const accounts = provider && createLocalAccounts(options, forget)

  return {
    authenticate: createAuthenticator({ verifyJwt, apiKeys, resolveUser: users.resolve }),
    consoleSignIn,
    accounts,
    invitationUrl: (token) => (provider ? invitationUrl(publicUrl, token) : `${publicUrl}/console/`),
    async addRoutes(app) {
      if (provider && accounts) await addIdentityRoutes(app, routesOptions(options, provider, accounts))
    },
    forget,
    async close() {
      await provider?.close()
      await usage.close()
    },
  }
}

function forgetAll(apiKeys: ApiKeyVerifier, users: UserResolver): void {
  apiKeys.forget()
  users.forget()
}

/** Issuers whose hosts keep time by the network are never further ahead. */
const CLOCK_AHEAD_MAX_SECONDS = 30

function externalIssuer(oidc: OidcSettings, { database, warn }: IdentityOptions): Issuer {
  const { issuer } = oidc
  const verifyJwt = createJwtVerifier({
    issuer,
    audience: oidc.audience,
    algorithms: oidc.algorithms,
    claims: {
      organization: oidc.organizationClaim,
      email: oidc.emailClaim,
      emailVerified: oidc.emailVerifiedClaim,
      role: oidc.roleClaim,
    },
    clockAheadMaxSeconds: CLOCK_AHEAD_MAX_SECONDS,
    getKey: createIssuerKeys({ load: () => discoverIssuerKeys(issuer) }),
  })
  const consoleSignIn = {
    issuer,
    clientId: oidc.clientId,
    scope: oidc.scope ?? CONSOLE_SCOPE,
    audience: oidc.scope === null ? oidc.audience : '',
  }
  const users = createIssuerUsers({ database, issuer, organizations: oidc.organizations, warn })
  return { verifyJwt, users, consoleSignIn, provider: null }
}

/** Its tokens go through the very verification that any other issuer's do; only the keys need no request. */
async function embeddedIssuer(options: IdentityOptions): Promise<Issuer> {
  const { settings, database } = options
  const { publicUrl, secretKey, earlierSecretKeys = [] } = settings
  const provider = await startEmbeddedProvider({
    publicUrl,
    database,
    cipher: options.cipher,
    secretKey,
    earlierSecretKeys,
    findMember: (memberId) => database.readInstallation((tx) => findMemberById(tx, memberId)),
    failed: options.failed,
  })
  const verifyJwt = createJwtVerifier({
    issuer: issuerOf(publicUrl),
    audience: audienceOf(publicUrl),
    algorithms: [TOKEN_ALGORITHM],
    claims: { organization: 'org_id', email: 'email', emailVerified: null, role: 'role' },
    getKey: createIssuerKeys({ load: async () => provider.publicKeys(), refillMs: 1_000 }),
  })
  const consoleSignIn = {
    issuer: issuerOf(publicUrl),
    clientId: CONSOLE_CLIENT_ID,
    scope: CONSOLE_SCOPE,
    audience: audienceOf(publicUrl),
  }
  return { verifyJwt, users: createLocalUsers(database), consoleSignIn, provider }
}

const createLocalAccounts = ({ database, warn }: IdentityOptions, changed: () => void): Accounts =>
  createAccounts({
    database,
    hasher: createPasswordHasher(),
    limits: createSignInLimits(createAttemptCounters(database)),
    refused: createRefusedSignIns({ log: warn }),
    changed,
  })

function routesOptions(options: IdentityOptions, provider: EmbeddedProvider, accounts: Accounts) {
  const { publicUrl, secretKey, earlierSecretKeys = [] } = options.settings
  const deviceKeyOf = (key: Buffer): Buffer => derivedKey(key, 'identity devices')
  const devices = createDeviceCookies(deviceKeyOf(secretKey), earlierSecretKeys.map(deviceKeyOf), publicUrl)
  const signIn = createSignIn({ provider: provider.current, accounts, devices, cipher: options.cipher })
  return { publicUrl, provider, accounts, signIn }
}
