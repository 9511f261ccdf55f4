/** A traffic store that says how long each use of it took, and how that ended. */
import { inSpan } from '@sallyport/tracing'
import { StoreUnavailable, type TrafficStore } from './connection.ts'

export type ObserveStore = (
  use: 'query' | 'command' | 'insert',
  result: 'ok' | 'refused' | 'unavailable',
  seconds: number,
) => void

const ATTRIBUTES = { 'db.system.name': 'clickhouse' }

/** The same store, of which `observe` hears. */
export function measuredStore(store: TrafficStore, observe: ObserveStore): TrafficStore {
  const measured = async <Answer>(
    use: Parameters<ObserveStore>[0],
    act: () => Promise<Answer>,
  ): Promise<Answer> => {
    const from = performance.now()
    const seconds = (): number => (performance.now() - from) / 1_000
    try {
      const answer = await inSpan({ name: `clickhouse ${use}`, kind: 'client', attributes: ATTRIBUTES }, act)
      observe(use, 'ok', seconds())
      return answer
    } catch (error) {
      observe(use, error instanceof StoreUnavailable ? 'unavailable' : 'refused', seconds())
      throw error
    }
  }
  return {
    query: (sql, parameters, options) => measured('query', () => store.query(sql, parameters, options)),
    queryColumns: (sql, parameters) => measured('query', () => store.queryColumns(sql, parameters)),
    readLines: (sql, parameters) => measured('query', () => store.readLines(sql, parameters)),
    command: (sql, parameters) => measured('command', () => store.command(sql, parameters)),
    insert: (insertion) => measured('insert', () => store.insert(insertion)),
    ping: () => store.ping(),
    close: () => store.close(),
  }
}
