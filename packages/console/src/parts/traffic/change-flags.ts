import type { ChangeMark } from '@sallyport/contract'
import { useMemo } from 'react'
import { useSites } from '../../api/queries/site-queries.ts'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import type { TimelineFlag } from '../../design/timeline/timeline-flags.tsx'
import { texts } from './texts.ts'

/** Changes that change what the gate does with requests. */
const CHANGES: Readonly<Record<string, string>> = {
  'site.create': texts.putASiteBehind,
  'site.update': texts.changedTheSite,
  'site.enable': texts.openedTheSite,
  'site.disable': texts.closedTheSite,
  'site.delete': texts.removedASite,
  'site.setBlockList': texts.changedTheBlockRules,
  'site.setFirewall': texts.changedTheFirewall,
  'site.setRateLimiting': texts.changedTheRateLimit,
  'site.setForwarding': texts.changedWhatIsForwarded,
  'site.setRecordSettings': texts.changedWhatIsRecorded,
  'site.setDefinition': texts.uploadedAnApiDefinition,
  'site.removeDefinition': texts.removedTheApiDefinition,
  'site.setDocument': texts.uploadedAnApiDefinition,
  'site.removeDocument': texts.removedAnApiDefinition,
  'site.restoreDocument': texts.broughtBackAnApiDefinition,
  'site.setHackers': texts.changedWhoMayEnter,
  'site.addHacker': texts.letAResearcher,
  'site.removeHacker': texts.tookAResearcherOff,
  'site.allowedHackerType': texts.changedWhoMayEnter,
  'organization.stop': texts.stoppedEverything,
  'organization.resume': texts.resumedEverything,
  'hacker.pause': texts.pausedResearchers,
  'hacker.resume': texts.resumedResearchers,
  'hacker.expire': texts.endedTheAccessOfResearchers,
  'hacker.remove': texts.removedAResearcher,
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
