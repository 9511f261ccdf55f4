import type { ChangeMark } from '@sallyport/contract'
import { useMemo } from 'react'
import { useSites } from '../../api/queries/site-queries.ts'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import type { TimelineFlag } from '../../design/timeline/timeline-flags.tsx'

/** Changes that change what the gate does with requests. */
const CHANGES: Readonly<Record<string, string>> = {
  'site.create': 'put a site behind the gate',
  'site.update': 'changed the site',
  'site.enable': 'opened the site',
  'site.disable': 'closed the site',
  'site.delete': 'removed a site',
  'site.setBlockList': 'changed the block rules',
  'site.setFirewall': 'changed the firewall',
  'site.setRateLimiting': 'changed the rate limit',
  'site.setForwarding': 'changed what is forwarded',
  'site.setRecordSettings': 'changed what is recorded',
  'site.setDefinition': 'uploaded an API definition',
  'site.removeDefinition': 'removed the API definition',
  'site.setDocument': 'uploaded an API definition',
  'site.removeDocument': 'removed an API definition',
  'site.restoreDocument': 'brought back an API definition',
  'site.setHackers': 'changed who may enter',
  'site.addHacker': 'let a researcher in',
  'site.removeHacker': 'took a researcher off the list',
  'site.allowedHackerType': 'changed who may enter',
  'organization.stop': 'stopped everything',
  'organization.resume': 'resumed everything',
  'hacker.pause': 'paused researchers',
  'hacker.resume': 'resumed researchers',
  'hacker.expire': 'ended the access of researchers',
  'hacker.remove': 'removed a researcher',
}

/** What people changed, as flags of a timeline with these filters. There are none where `changes` is absent. */
export function useChangeFlags(
  changes: readonly ChangeMark[] | undefined,
  filters: Pick<RequestFilters, 'site'>,
): readonly TimelineFlag[] {
  const sites = useSites(changes !== undefined)
  return useMemo(() => {
    const wanted = filters.site?.filter((id) => !id.startsWith('!')) ?? []
    const nameOf = new Map(sites.data?.map(({ id, gatedName }) => [id, gatedName]))
    const isShown = ({ target }: ChangeMark) =>
      target.kind !== 'site' || wanted.length === 0 || wanted.includes(target.id)
    return (changes ?? []).filter(isShown).flatMap(({ action, time, actor, target }) => {
      const what = CHANGES[action]
      const name = nameOf.get(target.id)
      const words = name ? `${what}, ${name}` : what
      return what && words ? [{ at: Date.parse(time), who: actor.email || actor.kind, what: words }] : []
    })
  }, [changes, sites.data, filters.site])
}
