/** A control process with nothing but its identity: real HTTP, real PostgreSQL, a log that is kept to be searched. */
import { randomBytes, randomUUID } from 'node:crypto'
import { after } from 'node:test'
import Fastify from 'fastify'
import { freePorts } from '../../../../../test/support/loopback.ts'
import { createTestDatabase } from '../../../../../test/support/postgres.ts'
import { type Database, openDatabase } from '../../../src/database/database.ts'
import { createIdentity, type Identity } from '../../../src/identity/identity.ts'
import { AuthenticationError, type Principal } from '../../../src/identity/principal.ts'
import { createPasswordHasher } from '../../../src/identity/sign-in/passwords.ts'
import { createCipher } from '../../../src/secrets/cipher.ts'
import type { OidcSettings } from '../../../src/settings.ts'
import { addOrganization, operatorContext } from '../../support/database.ts'

export interface TestControl {
  readonly publicUrl: string
  /** Where it listens. */
  readonly url: string
  readonly identity: Identity
  readonly database: Database
  /** Everything that was logged. */
  readonly log: () => string
  /** Who a token belongs to, or the code that it is refused with. */
  who(token: string): Promise<Principal | string>
  close(): Promise<void>
}

export interface TestInstallation {
  readonly ownerUrl: string
  /** Starts one more control process over the same database. */
  start(options?: StartChoices): Promise<TestControl>
  close(): Promise<void>
}

export interface StartChoices {
  readonly oidc?: OidcSettings
  readonly publicUrl?: string
  readonly port?: number
  /** The installation's own unless given. */
  readonly secretKey?: Buffer
  readonly earlierSecretKeys?: readonly Buffer[]
}

export async function createInstallation(): Promise<TestInstallation> {
  const { appUrl, ownerUrl, drop } = await createTestDatabase()
  const secretKey = randomBytes(32)
  const started: TestControl[] = []
  return {
    ownerUrl,
    async start({ oidc, publicUrl, port: asked, ...keys } = {}) {
      const [port = 0] = asked ? [asked] : await freePorts(1)
      const control = await startControl({
        appUrl,
        secretKey: keys.secretKey ?? secretKey,
        earlierSecretKeys: keys.earlierSecretKeys ?? [],
        port,
        publicUrl: publicUrl ?? `http://127.0.0.1:${port}`,
        oidc: oidc ?? null,
      })
      started.push(control)
      return control
    },
    async close() {
      for (const control of started) await control.close()
      await drop()
    },
  }
}

/** An installation with one control process and the owner of an organization, closed after the tests of the file. */
export async function startExampleShop() {
  const installation = await createInstallation()
  after(() => installation.close())
  const control = await installation.start()
  const orgId = await addOrganization(control.database, 'Example Shop')
  const ada = await addMember(control.database, orgId, 'ada@example.com')
  return { installation, control, publicUrl: control.publicUrl, orgId, ada }
}

interface StartOptions {
  readonly appUrl: string
  readonly secretKey: Buffer
  readonly earlierSecretKeys: readonly Buffer[]
  readonly port: number
  readonly publicUrl: string
  readonly oidc: OidcSettings | null
}

async function startControl({
  appUrl,
  secretKey,
  earlierSecretKeys,
  port,
  publicUrl,
  oidc,
}: StartOptions): Promise<TestControl> {
  const lines: string[] = []
  const app = Fastify({
    logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
  })
  const cipher = createCipher(secretKey, earlierSecretKeys)
  const database = openDatabase({ url: appUrl, cipher, failed: (error) => app.log.error(error) })
  const settings = { publicUrl, secretKey, earlierSecretKeys, oidc }
  const identity = await createIdentity({
    settings,
    database,
    cipher,
    warn: (fields, line) => app.log.warn(fields, line),
    failed: (error) => app.log.error({ err: error }, 'identity failed'),
  })
  await identity.addRoutes(app)
  app.get('/console/callback', async () => 'the console')
  app.get('/console/', async () => 'the console')
  await app.listen({ host: '127.0.0.1', port })
  let closed: Promise<void> | undefined
  return {
    publicUrl,
    url: `http://127.0.0.1:${port}`,
    identity,
    database,
    log: () => lines.join(''),
    who: (token) =>
      identity.authenticate(token, 'test').catch((error: unknown) => {
        if (error instanceof AuthenticationError) return error.code
        throw error
      }),
    close() {
      closed ??= app
        .close()
        .then(() => identity.close())
        .then(() => database.close())
      return closed
    },
  }
}

export interface TestMember {
  readonly id: string
  readonly orgId: string
  readonly email: string
  readonly password: string
}

const hasher = createPasswordHasher()

export async function addMember(
  database: Database,
  orgId: string,
  email: string,
  {
    password = 'correct horse battery',
    role = 'owner',
    passwordHash,
  }: { readonly password?: string; readonly role?: string; readonly passwordHash?: string } = {},
): Promise<TestMember> {
  const id = randomUUID()
  const hash = passwordHash ?? (await hasher.hash(password))
  await database.change(operatorContext(orgId), async (tx) => {
    await tx.query(
      `INSERT INTO members (id, org_id, email, name, role, password_hash, created_by)
       VALUES ($1, $2, $3, 'Ada', $4, $5, 'test')`,
      [id, orgId, email, role, hash],
    )
    tx.record({ action: 'member.invite', target: { kind: 'member', id }, before: null, after: { email } })
  })
  return { id, orgId, email, password }
}
