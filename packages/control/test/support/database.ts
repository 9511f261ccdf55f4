/** A migrated database of a test file's own, opened as the application opens it, and organizations to put into it. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { Client } from 'pg'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import {
  type ChangeContext,
  type CommittedChange,
  type Database,
  newId,
  openDatabase,
} from '../../src/database/database.ts'
import { createCipher } from '../../src/secrets/cipher.ts'

/** Closed and dropped after the tests of the file. `committed` holds what was committed. */
export async function openTestDatabase() {
  const { appUrl, ownerUrl, drop } = await createTestDatabase()
  const committed: CommittedChange[] = []
  const cipher = createCipher(randomBytes(32))
  const database = openDatabase({ url: appUrl, cipher, committed: (change) => committed.push(change) })
  /** Connected as the owner of the tables, whom nothing holds back. */
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  after(async () => {
    await owner.end()
    await database.close()
    await drop()
  })
  return { database, committed, cipher, appUrl, ownerUrl, owner }
}

/** As who an operator changes an organization. */
export const operatorContext = (orgId: string, more: Partial<ChangeContext> = {}): ChangeContext => ({
  orgId,
  actor: { kind: 'operator', id: 'operator', email: 'operator' },
  requestId: newId(),
  ...more,
})

/** Returns the id of the organization. */
export async function addOrganization(database: Database, name: string, orgId = newId()): Promise<string> {
  await database.change(operatorContext(orgId), async (tx) => {
    await tx.query('INSERT INTO organizations (org_id, name) VALUES ($1, $2)', [orgId, name])
    tx.record({
      action: 'organization.create',
      target: { kind: 'organization', id: orgId },
      before: null,
      after: { name },
      config: [['organization', orgId]],
    })
  })
  return orgId
}
