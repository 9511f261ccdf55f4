/** The time zone in which the viewer wants to see times: chosen in the top bar and kept in this browser. */
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

const STORAGE_KEY = 'sallyport.time-zone'

export interface TimeZone {
  readonly zone: string
  /** `local` follows the computer. */
  setZone(zone: string): void
}

/** The zone that the viewer chose, or that of the computer. */
export function chosenZone(): string {
  const stored = localStorage.getItem(STORAGE_KEY) ?? 'local'
  return stored === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : stored
}

const TimeZoneContext = createContext<TimeZone | null>(null)

export function TimeZoneProvider({ children }: { readonly children: ReactNode }) {
  const [zone, setZone] = useState(chosenZone)
  const timeZone = useMemo(() => {
    const store = (next: string) => {
      localStorage.setItem(STORAGE_KEY, next)
      setZone(chosenZone())
    }
    return { zone, setZone: store }
  }, [zone])
  return <TimeZoneContext value={timeZone}>{children}</TimeZoneContext>
}

export function useTimeZone(): TimeZone {
  const timeZone = useContext(TimeZoneContext)
  if (!timeZone) throw new Error('useTimeZone needs a TimeZoneProvider')
  return timeZone
}
