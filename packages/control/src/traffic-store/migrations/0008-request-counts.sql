-- How many requests an event stands for: 1, but for refusals of strangers past a rate, of which one event stands for all
-- alike ones. Events that are stored already stand for one each. Whatever counts requests adds this up from now on; the
-- coarser rollups add up what the finer ones hold, as before.
-- No insert may run while a view is exchanged: with several control planes on one server, stop all but one.
ALTER TABLE requests ADD COLUMN IF NOT EXISTS request_count UInt64 DEFAULT 1 CODEC(T64, ZSTD(1));

DROP VIEW IF EXISTS traffic_minutes_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS traffic_minutes_view TO traffic_minutes AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfMinute(r.time) AS time,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  sumIf(r.request_count, r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, outcome, status_class;

DROP VIEW IF EXISTS activity_hours_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS activity_hours_view TO activity_hours AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfHour(r.time) AS time,
  r.researcher_id AS researcher_id,
  r.tool AS tool,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  sumIf(r.request_count, r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, researcher_id, tool, outcome, status_class;

DROP VIEW IF EXISTS rules_minutes_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS rules_minutes_view TO rules_minutes AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfMinute(r.time) AS time,
  rule_row.1 AS kind,
  rule_row.2 AS rule,
  rule_row.3 AS class,
  rule_row.4 AS severity,
  rule_row.5 AS excluded,
  r.researcher_id AS researcher_id,
  sum(r.request_count) AS hits,
  sumIf(r.request_count, rule_row.1 != 'firewall' OR r.outcome = 'firewall' AND r.rule = rule_row.2) AS refused,
  max(r.time) AS last_seen,
  max(r.retention_days) AS retention_days
FROM requests AS r
ARRAY JOIN arrayConcat(
  arrayMap((rule, class, severity, excluded) -> ('firewall', toString(rule), toString(class), toString(severity), excluded), r.hit_rules, r.hit_classes, r.hit_severities, r.hit_excluded),
  if(r.rule != '' AND r.outcome IN ('block', 'limit'), [(toString(r.outcome), toString(r.rule), '', '', false)], [])
) AS rule_row
GROUP BY org_id, site_id, time, kind, rule, class, severity, excluded, researcher_id;

DROP VIEW IF EXISTS urls_ten_minutes_view;

CREATE MATERIALIZED VIEW IF NOT EXISTS urls_ten_minutes_view TO urls_ten_minutes AS
SELECT
  r.org_id AS org_id,
  r.site_id AS site_id,
  toStartOfTenMinutes(r.time) AS time,
  r.host AS host,
  r.route AS route,
  r.outcome AS outcome,
  toUInt8(intDiv(r.status, 100)) AS status_class,
  sumIf(r.request_count, r.kind != 'websocket_close') AS requests,
  sum(countEqual(r.hit_excluded, false)) AS hits,
  sum(r.request_bytes) AS request_bytes,
  sum(r.response_bytes) AS response_bytes,
  max(r.time) AS last_seen,
  groupUniqArrayIf(cityHash64(toString(r.researcher_id)), r.researcher_id != '') AS researchers,
  sumMapIf(map(toUInt16(round(8 * log2(greatest(r.duration_us, 1)))), r.request_count), r.kind = 'request') AS durations,
  max(r.retention_days) AS retention_days
FROM requests AS r
GROUP BY org_id, site_id, time, host, route, outcome, status_class;
