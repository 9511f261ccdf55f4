import { useMemo } from 'react'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import { useTime } from '../../../design/time/time.tsx'

/** What a row needs beyond its request. The table asks once: hundreds of rows come and go in a second of scrolling. */
export function useRowWords() {
  const { clock, full } = useTime()
  const nameOf = useResearcherNames()
  const sites = useSites()
  return useMemo(() => {
    const names = new Map(sites.data?.map((site) => [site.id, site.gatedName]))
    return { clock, full, nameOf, siteOf: (siteId: string) => names.get(siteId) }
  }, [clock, full, nameOf, sites.data])
}

export type RowWords = ReturnType<typeof useRowWords>
