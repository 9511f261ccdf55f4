import { type Hacker, readFilterValue } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import {
  matchingResearchersQuery,
  useMatchingResearchers,
  useResearcherNames,
} from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import { personName } from '../../../language/names.ts'
import type { Vocabulary } from './filter-query.ts'

type NamedResearcher = Pick<Hacker, 'id' | 'name' | 'email'>

const NAMES_LOADED = 500
const FOUND_MAX = 50
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Names of sites and researchers, and a way to look up researchers who are not among the newest. These are loaded once `isUsed`: until then,
 * the names of those in the filters in force do. `filters` are what these say of researchers.
 */
export function useVocabulary(
  isUsed: boolean,
  filters: readonly string[] | undefined,
): {
  readonly vocabulary: Vocabulary
  /** Loads the researchers whom these words may mean; answers the names with them. */
  readonly lookUp: (words: string) => Promise<Vocabulary>
} {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const sites = useSites()
  const newest = useMatchingResearchers('', NAMES_LOADED, isUsed)
  const nameOf = useResearcherNames()
  const [found, setFound] = useState<readonly NamedResearcher[]>([])
  const make = useCallback(
    (more: readonly NamedResearcher[]): Vocabulary => {
      const inForce = (filters ?? []).map((written): NamedResearcher => {
        const { value: id } = readFilterValue(written)
        return { id, name: nameOf(id), email: '' }
      })
      const known = [...inForce.filter(({ id, name }) => id !== '' && name !== id), ...more]
      const researchers = new Map(
        [...known, ...(newest.data?.items ?? [])].map((researcher) => [researcher.id, researcher]),
      )
      return {
        wordsOf: (field, value) => {
          if (field === 'site') return sites.data?.find(({ id }) => id === value)?.gatedName ?? value
          if (field !== 'hacker' || value === '') return value
          const researcher = researchers.get(value)
          return researcher ? personName(researcher) : nameOf(value)
        },
        valueOf: (field, words) => {
          if (words === '') return words
          if (field === 'site')
            return onlyOne(sites.data ?? [], words, ({ gatedName }) => [gatedName]) ?? asId(words)
          if (field !== 'hacker') return words
          return onlyOne([...researchers.values()], words, ({ name, email }) => [name, email]) ?? asId(words)
        },
      }
    },
    [sites.data, newest.data, nameOf, filters],
  )
  const lookUp = async (words: string) => {
    const page = await queryClient.fetchQuery(matchingResearchersQuery(api, words, FOUND_MAX))
    const now = [...found, ...page.items]
    setFound(now)
    return make(now)
  }
  return { vocabulary: useMemo(() => make(found), [make, found]), lookUp }
}

const asId = (words: string): string | undefined => (UUID.test(words) ? words.toLowerCase() : undefined)

/** The one thing that is called so, in whatever case; undefined where several are. */
function onlyOne<Thing extends { readonly id: string }>(
  things: readonly Thing[],
  words: string,
  namesOf: (thing: Thing) => readonly string[],
): string | undefined {
  const wanted = words.toLowerCase()
  const named = things.filter((thing) => namesOf(thing).some((name) => name.toLowerCase() === wanted))
  return named.length === 1 ? named[0]?.id : undefined
}
