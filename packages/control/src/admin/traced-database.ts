/** The database as everything but itself uses it: each use is a span of the trace under way. */
import { inSpan } from '@sallyport/tracing'
import type { Database } from '../database/database.ts'

/** The same database. While nothing is traced it costs a call. */
export function tracedDatabase(database: Database): Database {
  const traced = <Answer>(use: string, act: () => Promise<Answer>): Promise<Answer> =>
    inSpan({ name: `postgresql ${use}`, kind: 'client', attributes: { 'db.system.name': 'postgresql' } }, act)
  return {
    read: (orgId, work) => traced('read', () => database.read(orgId, work)),
    write: (orgId, work) => traced('write', () => database.write(orgId, work)),
    change: (context, work) => traced('change', () => database.change(context, work)),
    changeAtOnce: (...given) => traced('change', () => database.changeAtOnce(...given)),
    readInstallation: (work) => traced('read', () => database.readInstallation(work)),
    writeInstallation: (work) => traced('write', () => database.writeInstallation(work)),
    writeInstallationAtOnce: (work) => traced('write', () => database.writeInstallationAtOnce(work)),
    ping: () => database.ping(),
    get pool() {
      return database.pool
    },
    close: () => database.close(),
  }
}
