/**
 * An invitation's token comes in the fragment of the address, which no server sees. It is removed from the address bar and
 * from the tab's history before anything else of the page runs, so that neither a picture of the screen nor the back
 * button shows it. `main.tsx` imports this file first.
 */
const fragment = location.hash
if (fragment !== '') history.replaceState(null, '', location.pathname + location.search)

/** What followed the `#`, without it; empty where there was nothing. */
export const INVITATION_FRAGMENT = fragment.slice(1)

// Where a page of ours is open already, a link that differs in its fragment alone does not load it again.
addEventListener('hashchange', () => {
  if (location.hash !== '') location.reload()
})
