/** A day and a time of 24 hours as people type them, and as `fromLocalInput` reads them. */

const WHOLE = /^(\d{4}-\d{2}-\d{2})[ T]((?:[01]\d|2[0-3]):[0-5]\d)$/
/** Of ISO 8601 text that says the minute. */
const MINUTE_CHARS = 16

/** `2026-11-21T14:05` of what was typed; empty where nothing was, null where it is no day or no time. */
export function readTyped(typed: string): string | null {
  const text = typed.trim()
  if (text === '') return ''
  const [, day, time] = WHOLE.exec(text) ?? []
  if (!day || !time) return null
  const local = `${day}T${time}`
  const at = Date.parse(`${local}:00Z`)
  // Of the 31st of February, JavaScript makes a day of March.
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, MINUTE_CHARS) === local ? local : null
}

/** A value of such a field as it is shown in it. */
export const shownTime = (local: string): string => local.replace('T', ' ')
