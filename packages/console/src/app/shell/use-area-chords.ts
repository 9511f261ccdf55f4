import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { CHORD_MS, takesKeys } from '../../design/keys.ts'
import { AREAS } from './navigation.ts'

/** `g` then a letter goes to an area, unless the viewer is typing. */
export function useAreaChords(): void {
  const navigate = useNavigate()
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || takesKeys(event.target)) return
      const isBegun = event.timeStamp - startedAt < CHORD_MS
      if (event.key === 'g' && !isBegun) {
        startedAt = event.timeStamp
        return
      }
      const area = AREAS.find((one) => one.keys === `g ${event.key}`)
      if (area && isBegun) {
        event.preventDefault()
        void navigate({ to: area.to })
      }
      startedAt = Number.NEGATIVE_INFINITY
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate])
}
