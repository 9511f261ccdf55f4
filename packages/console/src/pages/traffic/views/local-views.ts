/** Views that an earlier version of the console kept in this browser. They are offered to be moved to the server, once. */
import { useLocalStorage } from '@mantine/hooks'
import { NAME_CHARS_MAX, SAVED_VIEW_QUERY_CHARS_MAX } from '@sallyport/contract'

export interface LocalView {
  readonly name: string
  /** The query string of the view. */
  readonly query: string
}

const QUERY = /^(?:\?[\x21-\x7e]*)?$/

/** What is stored may be anything: only what the server takes counts. */
export function readLocalViews(stored: unknown): readonly LocalView[] {
  if (!Array.isArray(stored)) return []
  return stored.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null || !('name' in one) || !('query' in one)) return []
    const { name, query } = one
    if (typeof name !== 'string' || typeof query !== 'string') return []
    const isTaken =
      name.trim() !== '' &&
      name.length <= NAME_CHARS_MAX &&
      query.length <= SAVED_VIEW_QUERY_CHARS_MAX &&
      QUERY.test(query)
    return isTaken ? [{ name, query }] : []
  })
}

/** The views of this browser, and the act that leaves only those that remain. */
export function useLocalViews() {
  const [stored, setStored, forget] = useLocalStorage<unknown>({
    key: 'sallyport.views',
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const keep = (views: readonly LocalView[]) => (views.length > 0 ? setStored(views) : forget())
  return { views: readLocalViews(stored), keep }
}
