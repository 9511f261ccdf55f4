/** The second whose text is kept: many answers go out in each. */
let keptSecond = Number.NaN
let keptText = ''

/** A time as `Date` says it (RFC 9110, section 5.6.7); `atMs` in milliseconds since the epoch. */
export function httpDate(atMs: number): string {
  const second = Math.floor(atMs / 1000)
  if (second !== keptSecond) {
    keptSecond = second
    keptText = new Date(atMs).toUTCString()
  }
  return keptText
}
