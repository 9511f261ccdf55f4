/**
 * SQL of watched states. Each query says which things are in another state than the usual one now, in every organization; what
 * differs from what was seen last is a change, and told once, by whichever control plane writes it first.
 */
import type { Transaction } from '../../database/database.ts'
import { hasRows } from '../../database/rows.ts'

/** A thing that is in another state than the usual one. */
export interface ThingState {
  readonly orgId: string
  readonly kind: StateKind
  readonly subject: string
  /** Empty for the usual one. */
  readonly state: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What was seen last of a thing, and what is so now; of one of them there may be none. */
export interface StateChange extends ThingState {
  readonly before: string
  /** Whether it is known to be in its state: an origin that nobody finds failing any more is not well before a gateway has had answers. */
  readonly isKnown: boolean
}

const SITE = `jsonb_build_object('site', jsonb_build_object('id', s.id, 'name', s.gated_name))`
const RESEARCHER = `jsonb_build_object('researcher', jsonb_build_object('id', r.id, 'email', r.email))`
const GATEWAY = `jsonb_build_object('gateway', jsonb_build_object('id', g.id))`
const IS_OPEN = `s.is_enabled AND s.starts_at <= now() AND now() < s.stops_at
  AND o.stopped_at IS NULL AND NOT o.is_suspended`
/** Whether a gateway concerns an organization: one that it has not forgotten, that is let in, and that serves it. */
const OF_ORGANIZATION = `NOT EXISTS (SELECT 1 FROM forgotten_gateways f
    WHERE f.org_id = o.org_id AND f.gateway_id = g.id AND g.seen_at <= f.seen_at)
  AND NOT EXISTS (SELECT 1 FROM enrolled_gateways e
    WHERE e.gateway_id = g.id AND (e.revoked_at IS NOT NULL OR NOT o.org_id = ANY (e.org_ids)))`

/** A gateway counts as silent after this: a restart takes less. */
const SILENT = "interval '60 seconds'"
/** A change that a gateway does not run after this long is late. */
const LATE = "interval '60 seconds'"
/** An origin that fails for so long is no single slow answer. One that fails otherwise after that fails on. */
const FAILING_MS = 60_000
/** Records that wait at a gateway beyond these cannot be delivered as fast as they come. */
const JOURNAL_EVENTS = 100_000
const JOURNAL_BYTES = 128 * 1024 * 1024

/** What each kind of state is read by: `org_id`, `subject`, `state` and `data` of those in another state than the usual one. */
const QUERIES = {
  site: `SELECT s.org_id, s.id::text AS subject, 'open' AS state, ${SITE} AS data
    FROM sites s JOIN organizations o USING (org_id) WHERE ${IS_OPEN}`,
  window: `SELECT s.org_id, s.id::text AS subject, s.stops_at::text AS state,
      ${SITE} || jsonb_build_object('closes', to_json(s.stops_at)) AS data
    FROM sites s JOIN organizations o USING (org_id) WHERE ${IS_OPEN} AND s.stops_at < now() + interval '1 day'`,
  paused: `SELECT r.org_id, r.id::text AS subject, 'paused' AS state, ${RESEARCHER} AS data
    FROM researchers r WHERE r.paused`,
  expiring: `SELECT r.org_id, r.id::text AS subject, r.expires_at::text AS state,
      ${RESEARCHER} || jsonb_build_object('expires', to_json(r.expires_at)) AS data
    FROM researchers r WHERE r.expires_at > now() AND r.expires_at < now() + interval '7 days'`,
  apiKey: `SELECT k.org_id, k.id::text AS subject, k.expires_at::text AS state,
      jsonb_build_object('apiKey', jsonb_build_object('id', k.id, 'name', k.name), 'expires', to_json(k.expires_at)) AS data
    FROM api_keys k WHERE k.revoked_at IS NULL AND k.expires_at > now() AND k.expires_at < now() + interval '7 days'`,
  silent: `SELECT o.org_id, g.id AS subject, 'silent' AS state,
      ${GATEWAY} || jsonb_build_object('lastSeen', to_json(g.seen_at)) AS data
    FROM gateways g CROSS JOIN organizations o WHERE g.seen_at < now() - ${SILENT} AND ${OF_ORGANIZATION}`,
  behind: `SELECT o.org_id, g.id AS subject, 'behind' AS state, ${GATEWAY} AS data
    FROM (SELECT org_id, max(revision) AS revision FROM config_revisions GROUP BY org_id) o
      JOIN gateways g ON g.seen_at >= now() - ${SILENT} AND g.revision < o.revision
    WHERE (SELECT time FROM audit_log a WHERE a.org_id = o.org_id ORDER BY sequence DESC LIMIT 1) < now() - ${LATE}
      AND o.org_id IN (SELECT org_id FROM organizations) AND ${OF_ORGANIZATION}`,
  journal: `SELECT o.org_id, g.id AS subject, 'filling' AS state, ${GATEWAY} AS data
    FROM gateways g CROSS JOIN organizations o
    WHERE g.seen_at >= now() - ${SILENT} AND ${OF_ORGANIZATION} AND ((g.journal->>'pending')::bigint > ${JOURNAL_EVENTS}
      OR (g.journal->>'pendingBytes')::bigint > ${JOURNAL_BYTES})`,
  origin: `SELECT s.org_id, s.id::text AS subject, 'failing' AS state,
      ${SITE} || jsonb_build_object('reason', max(left(h.reason, 64))) AS data
    FROM gateways g CROSS JOIN jsonb_to_recordset(g.health) AS h ("siteId" text, state text, reason text, since bigint)
      JOIN sites s ON s.id::text = h."siteId"
      LEFT JOIN enrolled_gateways e ON e.gateway_id = g.id
    WHERE (e.org_ids IS NULL OR s.org_id = ANY (e.org_ids)) AND g.seen_at >= now() - ${SILENT} AND h.state <> 'healthy'
      AND (h.since < extract(epoch FROM now()) * 1000 - ${FAILING_MS} OR EXISTS (SELECT FROM notification_states known
        WHERE known.org_id = s.org_id AND known.kind = 'origin' AND known.subject = h."siteId")) GROUP BY s.org_id, s.id, s.gated_name`,
} as const

export type StateKind = keyof typeof QUERIES

const ALL = Object.entries(QUERIES)
  .map(
    ([kind, query]) =>
      `SELECT org_id, '${kind}' AS kind, subject, state, data FROM (${query}) ${kind}_states`,
  )
  .join('\nUNION ALL ')

const ANSWERED_OF_KNOWN = `SELECT FROM gateways g CROSS JOIN jsonb_to_recordset(g.health) AS h ("siteId" text, state text)
  WHERE g.seen_at >= now() - ${SILENT} AND h."siteId" = known.subject AND h.state = 'healthy'`

/** What is otherwise than it was seen last. */
export const listChanges = (tx: Transaction): Promise<StateChange[]> =>
  tx.query<StateChange>(
    `SELECT coalesce(present.org_id, known.org_id) AS "orgId", coalesce(present.kind, known.kind) AS kind,
       coalesce(present.subject, known.subject) AS subject, coalesce(present.state, '') AS state,
       coalesce(known.state, '') AS before, coalesce(present.data, known.data) AS data,
       (known.kind IS DISTINCT FROM 'origin' OR EXISTS (${ANSWERED_OF_KNOWN})) AS "isKnown"
     FROM (${ALL}) present
     FULL JOIN notification_states known
       ON known.org_id = present.org_id AND known.kind = present.kind AND known.subject = present.subject
     WHERE coalesce(present.state, '') <> coalesce(known.state, '')
     LIMIT 1000`,
  )

/** Notes a change. False where another control plane has noted it. */
export function noteChange(tx: Transaction, change: StateChange): Promise<boolean> {
  const { orgId, kind, subject, state, before, data } = change
  const named = [orgId, kind, subject]
  if (state === '')
    return hasRows(
      tx,
      'DELETE FROM notification_states WHERE org_id = $1 AND kind = $2 AND subject = $3 AND state = $4 RETURNING 1',
      [...named, before],
    )
  return hasRows(
    tx,
    `INSERT INTO notification_states AS known (org_id, kind, subject, state, data) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (org_id, kind, subject) DO UPDATE SET state = $4, data = $5, since = now() WHERE known.state = $6 RETURNING 1`,
    [...named, state, JSON.stringify(data), before],
  )
}
