/** Where the focus goes once what took it has closed. */
import { useEffect, useState } from 'react'

/**
 * Brings the focus back to what had it before this component was first drawn, once the component is gone. Mantine's dialogs do it by themselves, but only
 * where they are there before they open, and nothing in them takes the focus as it is drawn.
 */
export function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    },
    [before],
  )
}
