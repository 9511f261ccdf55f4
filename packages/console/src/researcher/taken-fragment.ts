/**
 * An invitation's token comes in the fragment of the address, which no server sees. It is taken out of the address bar and
 * out of the tab's history before anything else of the page runs, so that neither a picture of the screen nor the back
 * button holds it. `main.tsx` imports this first.
 */
const fragment = location.hash
if (fragment !== '') history.replaceState(null, '', location.pathname + location.search)

/** What stood after `#`, without it; empty where there was nothing. */
export const TAKEN_FRAGMENT = fragment.slice(1)

// Where a page of ours is open already, a link that differs in its fragment alone does not load it again.
addEventListener('hashchange', () => {
  if (location.hash !== '') location.reload()
})
