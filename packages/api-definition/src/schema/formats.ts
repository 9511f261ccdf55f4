/** The formats that are judged by. Any other says nothing. */

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-](\d\d):?(\d\d))$/i
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const BYTE = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const IPV4 = new RegExp(`^(?:${BYTE}\\.){3}${BYTE}$`)
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** A text that is longer is of no format. */
const CHARS_MAX = 128

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** RFC 3339, with a second of 60 wherever one may be: which ones were is not worked out. */
function isTime(text: string): boolean {
  const found = TIME.exec(text)
  if (!found) return false
  const [hour, minute, second, zoneHour, zoneMinute] = found.slice(1).map((part) => Number(part ?? 0))
  return (
    (hour ?? 24) < 24 &&
    (minute ?? 60) < 60 &&
    (second ?? 61) <= 60 &&
    (zoneHour ?? 0) < 24 &&
    (zoneMinute ?? 0) < 60
  )
}

function isDateTime(text: string): boolean {
  return /^[\d-]{10}[t\s]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

/** RFC 4291, 2.2. */
function isIpv6(text: string): boolean {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text)) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const hasIpv4 = last.includes('.')
  if (hasIpv4 && (!IPV4.test(last) || text.endsWith(':'))) return false
  const hex = hasIpv4 ? groups.slice(0, -1) : groups
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false
  const count = hex.length + (hasIpv4 ? 2 : 0)
  return halves.length === 2 ? count < 8 : count === 8
}

const OF_TEXT: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  uuid: (text) => UUID.test(text),
  ipv4: (text) => IPV4.test(text),
  ipv6: isIpv6,
}
const OF_NUMBER: Readonly<Record<string, (value: number) => boolean>> = {
  int32: (value) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
  int64: (value) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63,
}

/** Whether a value is of a format. One of another kind than the format is about is. */
export function isOfFormat(format: string, value: string | number): boolean {
  if (typeof value === 'number') return OF_NUMBER[format]?.(value) ?? true
  const check = OF_TEXT[format]
  return check === undefined || (value.length <= CHARS_MAX && check(value))
}
