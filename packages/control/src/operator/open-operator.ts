/** Opens the database for the operator's acts, beside a control plane that may be running. */
import { PAGE_ITEMS_MAX } from '@sallyport/contract'
import { type AuditVerification, verifyAuditLog } from '../audit/audit-verification.ts'
import { openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { type Resealed, resealAll } from '../database/reseal.ts'
import { requireSession } from '../database/server/require-server.ts'
import { createHackerCredentialService } from '../features/hackers/credential-service.ts'
import { createHackerService } from '../features/hackers/service.ts'
import { createCipher } from '../secrets/cipher.ts'
import type { ControlSettings } from '../settings.ts'
import { INSTALLATION_LOG } from './installation-log.ts'
import { contextOf, createOperator, type Operator, requireOrganization } from './operator.ts'

export interface OpenOperator extends Operator {
  /** Makes a researcher as an admin of the organization would, or gives one that is there another key, shown once. */
  issueResearcherKey(
    orgId: string,
    email: string,
  ): Promise<{ readonly id: string; readonly email: string; readonly key: string }>
  /** Checks the hash chain of an organization's audit log, or of the `installation`'s; `knownHead` is a hash kept from an earlier check. */
  verifyAuditLog(orgId: string, knownHead?: string): Promise<AuditVerification>
  /** Seals every stored secret anew under the present secret key. */
  resealSecrets(): Promise<Resealed>
  close(): Promise<void>
}

/** Migrates the database where that is due. Throws where it cannot be reached. `by` says who acts, for the installation's log. */
export async function openOperator(
  settings: Pick<
    ControlSettings,
    | 'databaseUrl'
    | 'directDatabaseUrl'
    | 'migrationDatabaseUrl'
    | 'secretKey'
    | 'earlierSecretKeys'
    | 'gateUrl'
  >,
  by?: string,
): Promise<OpenOperator> {
  await migrate(settings.migrationDatabaseUrl)
  // One connection serves one command: what goes through a pooler is the control plane's.
  const url = settings.directDatabaseUrl ?? settings.databaseUrl
  await requireSession(url)
  const cipher = createCipher(settings.secretKey, settings.earlierSecretKeys)
  const database = openDatabase({ url, cipher, connectionsMax: 1 })
  const dependencies = { database, gateUrl: settings.gateUrl }
  const hackers = createHackerService(dependencies)
  const credentials = createHackerCredentialService(dependencies)
  return {
    ...createOperator(database, by),
    issueResearcherKey: async (orgId, email) => {
      const context = requestContextOf(orgId)
      const { items } = await hackers.list(context, { search: email, limit: PAGE_ITEMS_MAX })
      const known = items.find((hacker) => hacker.email === email)
      if (known)
        return { id: known.id, email, key: (await credentials.rotateKey(context, known.id, false)).key }
      const { body } = await hackers.create(context, { email })
      return { id: body.id, email, key: body.key }
    },
    verifyAuditLog: async (orgId, knownHead) => {
      if (orgId === 'installation') return verifyAuditLog(database, INSTALLATION_LOG, knownHead)
      // A log that nobody has is no intact one.
      await requireOrganization(database, orgId)
      return verifyAuditLog(database, orgId, knownHead)
    },
    resealSecrets: () => resealAll(database, cipher),
    close: () => database.close(),
  }
}

/** The operator as a caller of the services that serve the API. */
function requestContextOf(orgId: string) {
  const context = contextOf(orgId)
  const { id, email } = context.actor
  const principal = { kind: 'user', orgId, userId: id, email, role: 'owner', token: '' } as const
  return { ...context, principal, ifMatch: null, idempotency: null }
}
