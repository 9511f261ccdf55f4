/** Spans of time in words. */
import { texts } from './texts.ts'

/** A span in microseconds, rounded first and put into its unit then: `850 µs`, `1.4 ms`, `12 ms`, `59.9 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationWords(microseconds: number): string {
  if (Math.round(microseconds) < 1_000) return texts.s(Math.round(microseconds))
  const tenthsOfMs = Math.round(microseconds / 100)
  if (tenthsOfMs < 100) return texts.ms((tenthsOfMs / 10).toFixed(1))
  const ms = Math.round(microseconds / 1_000)
  if (ms < 1_000) return texts.ms(ms.toFixed(0))
  const tenthsOfSecond = Math.round(ms / 100)
  if (tenthsOfSecond < 600) return `${(tenthsOfSecond / 10).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
