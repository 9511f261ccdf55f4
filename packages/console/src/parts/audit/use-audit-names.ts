import { useMemo } from 'react'
import { useResearcherNames } from '../../api/queries/researcher-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import type { NameOf } from './audit-sentence.ts'

/** Names of sites and researchers as they are now. */
export function useAuditNames(): NameOf {
  const { data: sites } = useSites()
  const researcherName = useResearcherNames()
  return useMemo(() => {
    const names = new Map(sites?.map((site) => [site.id, site.gatedName]))
    return (kind, id) => {
      if (kind === 'site') return names.get(id)
      if (kind !== 'hacker') return undefined
      const name = researcherName(id)
      return name === id ? undefined : name
    }
  }, [sites, researcherName])
}
