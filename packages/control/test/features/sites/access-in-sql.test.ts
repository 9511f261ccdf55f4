/** The states that lists filter by, in SQL, are the ones that `@sallyport/policy` decides: compared at the edge of each instant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSiteOpen, researcherState } from '@sallyport/policy'
import fc from 'fast-check'
import { newId, type Transaction } from '../../../src/database/database.ts'
import { listResearchers } from '../../../src/features/hackers/store.ts'
import { insertSite, listSites } from '../../../src/features/sites/store.ts'
import { addOrganization, openTestDatabase } from '../../support/database.ts'

const { database } = await openTestDatabase()
const orgId = await addOrganization(database, 'Edges')

/** Milliseconds from now: the columns hold no finer ones. */
const offset = fc.constantFrom(-86_400_000, -1_000, -1, 0, 1, 1_000, 86_400_000)
const site = fc.record({ enabled: fc.boolean(), starts: offset, stops: offset })
const researcher = fc.record({ paused: fc.boolean(), expires: fc.option(offset, { nil: null }) })

/** The instant of a transaction, which is what `now()` is in all of its statements. */
async function instantOf(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ now: string }>(`SELECT date_trunc('milliseconds', now()) AS now`)
  return Date.parse(row?.now ?? '')
}

const at = (now: number, offsetMs: number): string => new Date(now + offsetMs).toISOString()

test('a site is listed as active exactly where it is open', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(site, { minLength: 10, maxLength: 40 }), (sites) =>
      database.write(orgId, async (tx) => {
        const now = await instantOf(tx)
        const expected: string[] = []
        for (const { enabled, starts, stops } of sites) {
          const id = newId()
          await insertSite(tx, orgId, {
            id,
            created_by: 'test',
            origin_name: 'o',
            origin_scheme: 'https',
            origin_host: 'o',
            origin_port: 443,
            gated_name: `${id}.gate.localhost`,
            is_enabled: enabled,
            starts_at: at(now, starts),
            planned_stops_at: null,
            stops_at: at(now, stops),
            has_custom_list: false,
            credentials: '',
            instructions: '',
            rate_limit: '',
            block_list: '[]',
          })
          if (isSiteOpen({ enabled, startsAt: now + starts, stopsAt: now + stops }, now)) expected.push(id)
        }
        const idsOf = async (state: 'active' | 'inactive') =>
          (await listSites(tx, orgId, { search: undefined, state }, null)).map(({ id }) => id)
        const active = await idsOf('active')
        assert.deepEqual(active.toSorted(), expected.toSorted())
        assert.equal(active.length + (await idsOf('inactive')).length, sites.length)
        await tx.query('DELETE FROM sites WHERE org_id = $1', [orgId])
      }),
    ),
    { numRuns: 20 },
  )
})

test('a researcher is listed under the state that is decided', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(researcher, { minLength: 10, maxLength: 40 }), (researchers) =>
      database.write(orgId, async (tx) => {
        const now = await instantOf(tx)
        const expected = new Map<string, string>()
        for (const { paused, expires } of researchers) {
          const id = newId()
          const expiresAt = expires === null ? null : now + expires
          await tx.query(
            `INSERT INTO researchers (org_id, id, email, paused, expires_at, created_by)
             VALUES ($1, $2, $3, $4, $5, 'test')`,
            [orgId, id, `${id}@example.com`, paused, expires === null ? null : at(now, expires)],
          )
          expected.set(id, researcherState({ paused, expiresAt }, now))
        }
        const found = new Map<string, string>()
        for (const state of ['active', 'paused', 'expired'] as const) {
          const filter = { search: undefined, state, siteId: undefined }
          for (const { id } of await listResearchers(tx, orgId, filter, { after: null, limit: 100 }))
            found.set(id, state)
        }
        assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected))
        await tx.query('DELETE FROM researchers WHERE org_id = $1', [orgId])
      }),
    ),
    { numRuns: 20 },
  )
})
