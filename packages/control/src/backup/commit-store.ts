/** The end of a long transaction, made sure of: a COMMIT whose answer is lost may have been done. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { BadBackup } from './archive.ts'

/** For how long the database is asked what became of it, which may have to start first. */
const ASK_FOR_MS = 10_000
const ASK_AGAIN_MS = 250

/** Nobody knows whether it was committed, so what belongs to it must not be undone. */
export class OutcomeUnknown extends BadBackup {}

/**
 * Commits the transaction that is open on `client`. Where that fails or is not answered, it is asked by `reconnect` what became of it: resolves
 * where it was committed, throws the failure where it was not, and an `OutcomeUnknown` where there is no answer to that either.
 */
export async function commitSurely(client: Client, reconnect: () => Promise<Client>): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id')
  await client.query('COMMIT').catch(async (error: Error) => {
    const outcome = await outcomeOf(rows[0]?.id ?? '', reconnect)
    if (outcome === 'committed') return
    if (outcome === 'aborted') throw error
    throw new OutcomeUnknown(
      'the database stopped answering at the very end, so it is not known whether the backup was restored: start it and run `sallyport organizations list`. Where that lists organizations, everything was; otherwise restore again, into an empty traffic store',
      { cause: error },
    )
  })
}

/** What PostgreSQL says of a transaction; undefined where it does not answer, or has not ended it, for too long. */
async function outcomeOf(id: string, reconnect: () => Promise<Client>): Promise<string | undefined> {
  const until = performance.now() + ASK_FOR_MS
  do {
    const outcome = await askOnce(id, reconnect).catch(() => undefined)
    if (outcome === 'committed' || outcome === 'aborted') return outcome
    await delay(ASK_AGAIN_MS)
  } while (performance.now() < until)
  return undefined
}

async function askOnce(id: string, reconnect: () => Promise<Client>): Promise<string | undefined> {
  const client = await reconnect()
  try {
    const { rows } = await client.query<{ status: string }>('SELECT pg_xact_status($1::xid8) AS status', [id])
    return rows[0]?.status
  } finally {
    await client.end()
  }
}
