/** The roster by what its researchers are called, until when they may enter, or what they did. */
import { type HackerSort, isUuid } from '@sallyport/contract'
import type { Database } from '../../../database/database.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { QueryOf } from '../../../http/handlers.ts'
import { pageOfRows } from '../../../http/request/paging.ts'
import { readWindow } from '../../../http/request/window.ts'
import { StoreUnavailable } from '../../../traffic-store/connection.ts'
import { presentHacker } from '../hacker-view.ts'
import { readRosterCursor, writeRosterCursor } from './roster-cursor.ts'
import { listSorted, type SortKey } from './sorted-store.ts'

/** What one researcher sent in a window, and when something last, in milliseconds since the epoch. */
interface RosterActivity {
  readonly hacker: string
  readonly requests: number
  readonly firewallHits: number
  readonly lastSeenMs: number
}

export interface RosterDeps {
  readonly database: Database
  /** Of a window, [from, to) in milliseconds since the epoch. Who is not among them sent nothing. */
  readonly activityOf: (
    orgId: string,
    window: { readonly from: number; readonly to: number },
  ) => Promise<readonly RosterActivity[]>
  readonly now?: () => number
}

/** How each order sorts, unless it is turned round: names from A, what is next to end first, and of counts the greatest. */
const SORTS: Readonly<
  Record<
    HackerSort,
    {
      readonly key: SortKey
      readonly order: 'asc' | 'desc'
      readonly of?: keyof Omit<RosterActivity, 'hacker'>
    }
  >
> = {
  created: { key: 'created', order: 'desc' },
  name: { key: 'name', order: 'asc' },
  expires: { key: 'expires', order: 'asc' },
  requests: { key: 'value', order: 'desc', of: 'requests' },
  firewallHits: { key: 'value', order: 'desc', of: 'firewallHits' },
  lastSeen: { key: 'value', order: 'desc', of: 'lastSeenMs' },
}

/** A page of the roster in the order that is asked for. Where counts are only shown and cannot be had, they are left out. */
async function list(
  { database, activityOf, now = Date.now }: RosterDeps,
  { orgId }: RequestContext,
  query: QueryOf<'hackersList'>,
) {
  const { sort, search, state, site: siteId, id, limit } = query
  const { key, order: usual, of } = SORTS[sort]
  const order = query.order ?? usual
  const cursor = query.cursor === undefined ? undefined : readRosterCursor(query.cursor, { sort, order })
  const { from, to } = cursor ?? readWindow({ gte: query.gte }, now())
  const isNeeded = of !== undefined
  const activity = await activityOf(orgId, { from, to }).catch((error: unknown) => {
    if (isNeeded || !(error instanceof StoreUnavailable)) throw error
    return undefined
  })
  const values = isNeeded
    ? (activity ?? []).flatMap((one) => (isUuid(one.hacker) ? [{ id: one.hacker, value: one[of] }] : []))
    : []
  const rows = await database.read(orgId, async (tx) =>
    siteId === undefined || isUuid(siteId)
      ? listSorted(
          tx,
          orgId,
          { search, state, siteId, ids: id?.filter(isUuid) },
          { key, order, values, limit, after: cursor },
        )
      : [],
  )
  const byId = new Map(activity?.map((one) => [one.hacker, one]))
  return pageOfRows(
    rows,
    limit,
    (row) => writeRosterCursor({ sort, order, key: row.sort_key, id: row.id, from, to }),
    (row) => ({ ...presentHacker(row), ...(activity && { activity: shown(byId.get(row.id)) }) }),
  )
}

/** The list of researchers, sorted and with what each did. */
export const createRosterService = (deps: RosterDeps) => bindDependencies(deps, { list })

export type RosterService = ReturnType<typeof createRosterService>

const shown = (activity: RosterActivity | undefined) => ({
  requests: activity?.requests ?? 0,
  firewallHits: activity?.firewallHits ?? 0,
  lastSeen: activity ? new Date(activity.lastSeenMs).toISOString() : null,
})
