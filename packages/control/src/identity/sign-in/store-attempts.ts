import type { Database } from '../../database/database.ts'
import type { AttemptCounters } from './sign-in-limits.ts'

/** Rows are locked in the order of their keys, so that two sign-ins never wait for each other's rows. */
const ADD = `
  INSERT INTO sign_in_attempts AS counter (key, attempts)
  SELECT key, 1 FROM unnest($1::text[]) AS key ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    attempts = CASE WHEN counter.started_at < now() - $2 * interval '1 ms' THEN 1 ELSE counter.attempts + 1 END,
    started_at = CASE WHEN counter.started_at < now() - $2 * interval '1 ms' THEN now() ELSE counter.started_at END
  RETURNING key, attempts`

/** Counts attempts in the database, so that all control processes see the same numbers. */
export const createAttemptCounters = (database: Pick<Database, 'writeInstallation'>): AttemptCounters => ({
  async add(keys, windowMs) {
    const rows = await database.writeInstallation((tx) =>
      tx.query<{ key: string; attempts: number }>(ADD, [keys, windowMs]),
    )
    const counts = new Map(rows.map((row) => [row.key, row.attempts]))
    return keys.map((key) => counts.get(key) ?? 0)
  },
  async giveBack(keys) {
    await database.writeInstallation((tx) =>
      tx.query(
        `UPDATE sign_in_attempts SET attempts = attempts - 1
         WHERE key IN (SELECT key FROM sign_in_attempts WHERE key = ANY ($1::text[]) ORDER BY key FOR UPDATE)
           AND attempts > 0`,
        [keys],
      ),
    )
  },
})
