/** What lies below the part of the page that is seen asks for nothing until the viewer comes near. */
import { type RefCallback, useCallback, useState } from 'react'

/** How far below the window a part counts as near, so that it is mostly there by the time it is seen. */
const MARGIN = '0px 0px 80px 0px'

/** Whether the element with this ref has been near the window; stays true. */
export function useNear(): readonly [RefCallback<Element>, isNear: boolean] {
  const [isNear, setNear] = useState(false)
  const ref = useCallback<RefCallback<Element>>((element) => {
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        setNear(true)
      },
      { rootMargin: MARGIN },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, isNear]
}
