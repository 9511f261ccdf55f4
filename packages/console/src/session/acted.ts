/**
 * Whether somebody did something on the page that is shown: typed, chose, made a secret that is shown once. Such a page
 * is not left by itself.
 */
let actedOn = ''

export function watchActs(): void {
  const note = () => {
    actedOn = location.pathname
  }
  for (const name of ['input', 'click']) document.addEventListener(name, note, { capture: true })
}

export const hasActed = (): boolean => actedOn === location.pathname
