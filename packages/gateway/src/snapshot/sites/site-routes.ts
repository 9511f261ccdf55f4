/**
 * The templates of a site's API as a tree, made when a path is first asked for: at once where there are few, otherwise in small steps between
 * which others are served. Until all are in, paths belong to none, since one that comes later may say it more exactly.
 *
 * Not when the site is: a stranger's first request under a name would wait for it, and its answer say by its time that some site has the name.
 */
import { PATH_CHARS_MAX } from '@sallyport/contract/words'
import { RouteTree } from '@sallyport/policy'

/** How many are added without interruption: about half a millisecond's work. */
const STEP = 200

const NONE = (): undefined => undefined

/** Finds the template of a path. */
export function compileSiteRoutes(
  templates: readonly string[] | undefined,
): (path: string) => string | undefined {
  if (templates === undefined || templates.length === 0) return NONE
  const tree = new RouteTree()
  let isBegun = false
  let added = 0
  const addSome = (): void => {
    const end = Math.min(added + STEP, templates.length)
    for (; added < end; added++) tree.add(templates[added] ?? '')
    if (added < templates.length) setImmediate(addSome)
  }
  return (path) => {
    if (!isBegun) addSome()
    isBegun = true
    // A path that was cut is not the one that was asked for.
    return added < templates.length || path.length >= PATH_CHARS_MAX ? undefined : tree.match(path)
  }
}
