/**
 * Remembers whether somebody typed, chose or clicked on the page that is shown. Such a page may hold unsaved text or a secret
 * that is shown once, so it does not redirect to the issuer by itself.
 */
let touchedPath = ''

export function watchInteraction(): void {
  const remember = () => {
    touchedPath = location.pathname
  }
  for (const name of ['input', 'click']) document.addEventListener(name, remember, { capture: true })
}

export const hasInteraction = (): boolean => touchedPath === location.pathname
