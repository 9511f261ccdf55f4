import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { API_KEY_PREFIX, isSecretKey } from '@sallyport/contract'
import { verifyAuditLog } from '../../src/audit/audit-verification.ts'
import { readChanged, readPage } from '../../src/feed/snapshot-store.ts'
import { findApiKeys } from '../../src/identity/api-keys/store.ts'
import { createPasswordHasher } from '../../src/identity/sign-in/passwords.ts'
import { findMemberByInvitation, findMembersByEmail } from '../../src/identity/store-members.ts'
import { INSTALLATION_LOG } from '../../src/operator/installation-log.ts'
import { createOperator } from '../../src/operator/operator.ts'
import { openTestDatabase } from '../support/database.ts'

const { database, owner } = await openTestDatabase()
const operator = createOperator(database, 'mara@gate')

const organization = (name: string) => operator.createOrganization({ name, email: `owner@${name}.example` })

/** Actions in the audit log of an organization, in order. */
const auditOf = (orgId: string): Promise<string[]> =>
  database.read(orgId, async (tx) => {
    const rows = await tx.query<{ action: string }>('SELECT action FROM audit_log ORDER BY sequence')
    return rows.map(({ action }) => action)
  })

test('a new organization has an owner who can sign in and a key that is found', async () => {
  const created = await organization('acme')
  assert.ok(isSecretKey(API_KEY_PREFIX, created.apiKey))
  const [member] = await database.readInstallation((tx) => findMembersByEmail(tx, created.email))
  assert.equal(member?.role, 'owner')
  assert.ok(await createPasswordHasher().verify(created.password, member?.passwordHash ?? null))
  const [key] = await database.readInstallation((tx) => findApiKeys(tx, created.apiKey.slice(0, 16)))
  assert.equal(key?.orgId, created.organizationId)
  assert.equal(key?.role, 'owner')
  assert.deepEqual(await auditOf(created.organizationId), ['organization.create'])
  const listed = await operator.listOrganizations()
  assert.deepEqual(
    listed.filter(({ id }) => id === created.organizationId).map(({ name, plan }) => ({ name, plan })),
    [{ name: 'acme', plan: 'standard' }],
  )
})

test('plan and suspension change, are audited, and are told to the gateways', async () => {
  const { organizationId: id } = await organization('plans')
  const revision = () =>
    database.readInstallation(async (tx) => {
      const [row] = await tx.query<{ revision: number }>('SELECT revision FROM installation')
      return row?.revision ?? 0
    })
  const before = await revision()
  assert.equal((await operator.setPlan(id, 'basic')).plan, 'basic')
  assert.equal((await operator.setSuspended(id, true)).isSuspended, true)
  assert.equal(await revision(), before + 2)
  await operator.setSuspended(id, true)
  assert.equal(await revision(), before + 2, 'what changes nothing is no change')
  await assert.rejects(operator.setPlan(id, 'golden'), /no plan golden; there are basic, standard/)
  assert.deepEqual(await auditOf(id), ['organization.create', 'organization.setPlan', 'organization.suspend'])
})

test('credits are granted with a reason, and fifty grants at once add up', async () => {
  const { organizationId: id } = await organization('credits')
  await Promise.all(Array.from({ length: 50 }, () => operator.grantCredits(id, 2, 'a test')))
  assert.equal((await operator.grantCredits(id, 1, 'the last')).balance, 101)
  await assert.rejects(operator.grantCredits(id, -1, 'no'), /above 0/)
  await assert.rejects(operator.grantCredits(id, 0.5, 'no'), /whole numbers/)
  for (const reason of [' ', 'x'.repeat(100_000)])
    await assert.rejects(operator.grantCredits(id, 1, reason), /the reason is not valid/)
  await assert.rejects(operator.grantCredits(id, Number.MAX_SAFE_INTEGER, 'no'), /at most 9007199254740991/)
  assert.equal((await operator.grantCredits(id, 1, 'more')).balance, 102)
})

test('keys and accounts are made, listed and taken back inside one organization', async () => {
  const { organizationId: id } = await organization('keys')
  const other = await organization('other')
  const made = await operator.createApiKey(id, 'pipeline', 'viewer')
  assert.deepEqual(
    (await operator.listApiKeys(id)).map(({ name, role }) => [name, role]),
    [
      ['first key', 'owner'],
      ['pipeline', 'viewer'],
    ],
  )
  await assert.rejects(operator.revokeApiKey(other.organizationId, made.id), /has no key/)
  await operator.revokeApiKey(id, made.id)
  await assert.rejects(operator.revokeApiKey(id, made.id), /has no key/)

  await operator.createAccount(id, 'second@keys.example', 'admin')
  await assert.rejects(operator.createAccount(id, 'Second@keys.example', 'admin'), /already/)
  await database.write(id, (tx) =>
    tx.query(
      `UPDATE members SET invitation_hash = 'of a link', invitation_expires_at = now() + interval '1 day'
       WHERE org_id = $1 AND email = 'second@keys.example'`,
      [id],
    ),
  )
  const { password } = await operator.resetPassword(id, 'second@keys.example')
  const invited = await database.readInstallation((tx) => findMemberByInvitation(tx, 'of a link'))
  assert.equal(invited, undefined, 'a link from before sets no password any more')
  const [member] = await database.readInstallation((tx) => findMembersByEmail(tx, 'second@keys.example'))
  assert.ok(await createPasswordHasher().verify(password, member?.passwordHash ?? null))
  assert.deepEqual(
    (await operator.listAccounts(id)).map(({ email }) => email),
    ['owner@keys.example', 'second@keys.example'],
  )
})

test('a name or an address that the API would not take is refused', async () => {
  const { organizationId: id } = await organization('forms')
  const wanted = { name: 'x', email: 'a@b.example' }
  await assert.rejects(operator.createOrganization({ ...wanted, name: ' ' }), /the name is not valid/)
  await assert.rejects(operator.createOrganization({ ...wanted, email: 'junk' }), /must be an e-mail address/)
  await assert.rejects(operator.createAccount(id, 'junk', 'admin'), /must be an e-mail address/)
  await assert.rejects(operator.createApiKey(id, 'x'.repeat(201), 'admin'), /the name is not valid/)
})

test('an organization that is not there is refused in a sentence', async () => {
  const nobody = '0190f3a0-0000-7000-8000-000000000000'
  await assert.rejects(operator.setPlan(nobody, 'basic'), /there is no organization/)
  await assert.rejects(operator.grantCredits(nobody, 1, 'x'), /there is no organization/)
  await assert.rejects(operator.createApiKey(nobody, 'x', 'admin'), /there is no organization/)
  await assert.rejects(operator.listApiKeys(nobody), /there is no organization/)
  await assert.rejects(operator.listAccounts(nobody), /there is no organization/)
  await assert.rejects(operator.setPlan('1; DROP TABLE sites', 'basic'), /is not an id/)
})

test('rule sets are told to the gateways, replaced by name, and removed', async () => {
  const fed = () => database.readInstallation((tx) => readPage(tx, 'ruleSet', null, 10, null))
  const changed = () => database.readInstallation((tx) => readChanged(tx, 0))
  assert.deepEqual(await fed(), [])
  const install = (rules: string, ruleCount: number) =>
    operator.installRuleSet({ name: 'owasp-crs', rules, ruleCount, source: '/crs' })
  await install('{"rules":[]}', 0)
  await install('{"rules":[1]}', 1)
  const value = { id: 'owasp-crs', name: 'owasp-crs', rules: '{"rules":[1]}' }
  assert.deepEqual(await fed(), [{ kind: 'ruleSet', id: 'owasp-crs', value }])
  assert.deepEqual(
    (await operator.listRuleSets()).map(({ name, rules }) => ({ name, rules })),
    [{ name: 'owasp-crs', rules: 1 }],
  )
  const before = (await changed()).find(({ kind }) => kind === 'ruleSet')?.revision ?? 0
  const [stored] = await operator.listRuleSets()
  const other = createOperator(database, 'ivo@gate')
  assert.equal(await other.removeRuleSet('owasp-crs'), true)
  assert.equal(await other.removeRuleSet('owasp-crs'), false)
  assert.deepEqual(await fed(), [])
  assert.equal((await changed()).find(({ kind }) => kind === 'ruleSet')?.revision, before + 1)

  const log = await operator.readInstallationLog()
  assert.deepEqual(
    log.map(({ action, name, by }) => [action, name, by]),
    [
      ['ruleSet.import', 'owasp-crs', 'mara@gate'],
      ['ruleSet.import', 'owasp-crs', 'mara@gate'],
      ['ruleSet.remove', 'owasp-crs', 'ivo@gate'],
    ],
  )
  const [first, second, removal] = log
  assert.deepEqual(second?.after, { source: '/crs', rules: 1, sha256: stored?.sha256 })
  assert.deepEqual(second?.before, {
    rules: 0,
    sha256: createHash('sha256').update('{"rules":[]}').digest('hex'),
  })
  assert.equal(first?.before, null)
  assert.equal(removal?.after, null)
})

test('the log of the installation is chained: a changed entry shows', async () => {
  const verified = () => verifyAuditLog(database, INSTALLATION_LOG)
  assert.deepEqual(
    { ...(await verified()), head: '' },
    { isIntact: true, entries: 3, head: '', firstBroken: null },
  )
  await owner.query(
    "UPDATE audit_log SET entry = replace(entry, 'mara', 'ivo') WHERE org_id = $1 AND sequence = 2",
    [INSTALLATION_LOG],
  )
  assert.equal((await verified()).firstBroken, 2)
})

test('policies and plans are made, changed, told to the gateways, and kept while they are used', async () => {
  const fed = async (name: string) =>
    (await database.readInstallation((tx) => readPage(tx, 'policy', null, 50, null))).find(
      ({ id }) => id === name,
    )?.value
  const small = { name: 'small', site: { kind: 'fixed', limit: 3, windowMs: 60_000 }, perResearcher: null }
  assert.deepEqual(await operator.createPolicy(small), small)
  await assert.rejects(operator.createPolicy(small), /already/)
  assert.deepEqual(await fed('small'), small)
  const share = { kind: 'concurrency', limit: 2 }
  const larger = { ...small, site: { kind: 'fixed', limit: 30, windowMs: 60_000 }, perResearcher: share }
  await operator.changePolicy(larger)
  assert.deepEqual(await fed('small'), larger)
  await assert.rejects(operator.changePolicy({ ...small, name: 'none' }), /there is no policy none/)
  await assert.rejects(operator.createPolicy({ ...small, name: 'Not A Name' }), /name: lower-case/)
  await assert.rejects(operator.createPolicy({ name: 'odd', site: { kind: 'fixed' } }), /site.limit/)

  await operator.createPlan({ name: 'tiny', policies: ['small'] })
  await assert.rejects(operator.createPlan({ name: 'tiny', policies: [] }), /already/)
  await assert.rejects(
    operator.createPlan({ name: 'odd', policies: ['nothing'] }),
    /no policy nothing; there are/,
  )
  await assert.rejects(operator.changePlan({ name: 'none', policies: [] }), /there is no plan none/)
  await assert.rejects(operator.removePolicy('small'), /plans include the policy small: tiny/)

  const { organizationId } = await organization('planned')
  await operator.setPlan(organizationId, 'tiny')
  await assert.rejects(operator.removePlan('tiny'), /1 organizations have the plan tiny/)
  const listed = (await operator.listPlans()).find(({ name }) => name === 'tiny')
  assert.deepEqual(listed, { name: 'tiny', policies: ['small'], organizations: 1 })

  await operator.setPlan(organizationId, 'basic')
  await operator.changePlan({ name: 'tiny', policies: [] })
  const known = (await operator.listPolicies()).find(({ name }) => name === 'small')
  assert.deepEqual(known, { ...larger, plans: [], sites: 0 })
  await operator.removePolicy('small')
  await operator.removePlan('tiny')
  assert.equal(await fed('small'), undefined)
  await assert.rejects(operator.removePolicy('small'), /there is no policy small/)
  await assert.rejects(operator.removePlan('tiny'), /there is no plan tiny/)

  const log = (await operator.readInstallationLog()).filter(({ name }) => name === 'small' || name === 'tiny')
  const plan = (policies: string[]) => ({ name: 'tiny', policies })
  assert.deepEqual(
    log.map(({ by, action, before, after }) => [by, action, before, after]),
    [
      ['mara@gate', 'policy.create', null, small],
      ['mara@gate', 'policy.change', small, larger],
      ['mara@gate', 'plan.create', null, plan(['small'])],
      ['mara@gate', 'plan.change', plan(['small']), plan([])],
      ['mara@gate', 'policy.remove', larger, null],
      ['mara@gate', 'plan.remove', plan([]), null],
    ],
  )
})
