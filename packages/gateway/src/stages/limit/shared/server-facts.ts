/** What a server says of itself to `INFO`. */
export interface ServerFacts {
  /** Another one each time that it is started. */
  readonly run: string
  readonly uptimeS: number
  /** Why limits cannot be counted in what it is; null where they can. */
  readonly misnamed: string | null
  /** Why they cannot be counted in it now; null where they can. */
  readonly unready: string | null
}

/** Reads the answer to `INFO`. */
export function readServerFacts(info: string): ServerFacts {
  const facts = new Map(
    Array.from(info.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name = '', value = '']) => [name, value]),
  )
  return {
    run: facts.get('run_id') ?? '',
    uptimeS: Number(facts.get('uptime_in_seconds') ?? Number.POSITIVE_INFINITY),
    misnamed: whyMisnamed(facts),
    unready: whyUnready(facts),
  }
}

function whyMisnamed(facts: ReadonlyMap<string, string>): string | null {
  const mode = facts.get('redis_mode') ?? facts.get('server_mode')
  if (mode === 'sentinel')
    return 'VALKEY_URL names a sentinel: name the server that it watches, or an address that follows it'
  if (mode === 'cluster' || facts.get('cluster_enabled') === '1')
    return 'VALKEY_URL names a node of a cluster: name a server that is in none'
  return null
}

function whyUnready(facts: ReadonlyMap<string, string>): string | null {
  if (facts.get('loading') === '1') return 'it loads what it has saved'
  // One that was asked to be another's replica takes no writes; the address may soon be that of another server.
  if (facts.get('role') === 'slave') return 'it is a replica, which takes no writes'
  return null
}
