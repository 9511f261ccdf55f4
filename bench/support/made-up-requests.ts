/** Made-up requests, as an INSERT that the engine itself runs. */
import { readFileSync } from 'node:fs'

/** Whose requests they are. */
export interface Names {
  readonly orgId: string
  readonly sites: readonly { readonly id: string; readonly host: string }[]
  readonly researchers: readonly string[]
}

/** Reads them from a JSON file of that shape. */
export function readNames(file: string): Names {
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function madeUpNames(): Names {
  const two = (index: number): string => String(index).padStart(2, '0')
  return {
    orgId: '0193a000-0000-7000-8000-000000000abc',
    sites: Array.from({ length: 20 }, (_, index) => ({
      id: `0193a000-0000-7000-8000-0000000000${two(index)}`,
      host: `site${index}.gate.example`,
    })),
    researchers: Array.from({ length: 60 }, (_, index) => `0193b000-0000-7000-8000-0000000000${two(index)}`),
  }
}

function literals(values: readonly string[]): string {
  return `[${values.map((value) => `'${value.replaceAll(/['\\]/g, '')}'`).join(', ')}]`
}

/**
 * 20 sites and 60 researchers, busy in a few sites each; mostly typed routes, and a tenth of scanners' paths; one request
 * in fifty hits a firewall rule. Times of a day rise with the number of the request, as they do in life.
 */
export function insertOf(
  names: Names,
  dayStartMs: number,
  first: number,
  count: number,
  perDay: number,
): string {
  return `INSERT INTO requests
    (org_id, site_id, time, id, kind, gateway_id, researcher_id, credential, credential_id, client_address, http_version, tls,
     method, scheme, host, target, path, route, query_names, status, outcome, request_bytes, response_bytes, duration_us,
     first_byte_us, user_agent, tool, inspection, rule, reason, hit_rules, hit_classes, hit_severities, hit_parts,
     hit_parameters, hit_excerpts, hit_excluded, retention_days)
  WITH sipHash64(number, ${dayStartMs}) AS h, h % 20 AS s, intDiv(h, 20) % 8 AS r,
    (s * 3 + r * r) % 60 AS who,
    number / ${perDay} * 86400000 AS ms,
    (h % 1000) AS k, intDiv(h, 1000) % 100000 AS n, (h % 10) = 7 AS scan, (h % 50) = 3 AS attack,
    multiIf(scan, concat('/', lower(hex(n % 4000)), '/admin.php'), k % 5 = 0, concat('/api/orders/', toString(n)),
      k % 5 = 1, concat('/products/', toString(n % 2000), '/reviews'), k % 5 = 2, '/search', k % 5 = 3, concat('/static/app.', toString(n % 40), '.js'), '/login') AS p,
    ['q','page','id'] AS names
  SELECT '${names.orgId}', ${literals(names.sites.map((site) => site.id))}[s + 1],
    fromUnixTimestamp64Milli(toInt64(${dayStartMs} + ms), 'UTC') AS at,
    generateUUIDv7(number), 'request', 'gateway-1',
    ${literals(names.researchers)}[who + 1], 'key',
    substring(hex(MD5(toString(who))), 1, 12), concat('198.51.100.', toString(who)), '1.1', 'TLSv1.3',
    if(k % 7 = 0, 'POST', 'GET'), 'https', ${literals(names.sites.map((site) => site.host))}[s + 1],
    if(p = '/search', concat(p, '?q=term', toString(n % 5000), '&page=', toString(n % 9)), p), p,
    multiIf(scan, p, k % 5 = 0, '/api/orders/{id}', k % 5 = 1, '/products/{id}/reviews', k % 5 = 3, '/static/app.{id}.js', p),
    if(p = '/search', arraySlice(names, 1, 2), []),
    multiIf(scan, 404, attack, 403, k % 97 = 0, 500, k % 13 = 0, 302, 200),
    multiIf(k % 200 = 1, 'block', k % 150 = 2, 'limit', 'origin'),
    250 + n % 400, if(scan, 512, 800 + n % 20000), toUInt64(2000 * exp((n % 1000) / 250)), toUInt64(1500 * exp((n % 1000) / 250)),
    multiIf(scan, 'Mozilla/5.00 (Nikto/2.5.0)', k % 3 = 0, 'curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'),
    multiIf(scan, 'nikto', k % 3 = 0, 'curl', ''), 'full', multiIf(k % 200 = 1, 'rule-1', k % 150 = 2, 'fixed', ''),
    multiIf(k % 200 = 1, 'block_rule', k % 150 = 2, 'rate_limit', ''),
    if(attack, [concat('crs-942-', toString(100 + n % 30 * 10))], []), if(attack, ['sql_injection'], []), if(attack, ['high'], []), if(attack, ['query'], []),
    if(attack, ['q'], []), if(attack, [concat('1 union select ', toString(n))], []), if(attack, [false], []), 400
  FROM numbers(${first}, ${count})
  SETTINGS max_insert_threads = 1, max_threads = 2, max_insert_block_size = 1000000, min_insert_block_size_rows = 1000000, min_insert_block_size_bytes = 0, insert_deduplicate = 0, max_partitions_per_insert_block = 0`
}
