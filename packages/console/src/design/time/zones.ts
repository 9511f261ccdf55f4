/** Time zones by what people call them. */
import { zoneOffsetMs } from './local-time.ts'

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
/** Of a search that says little. */
const FOUND_MAX = 60

/** Those that many want, for who searches nothing. */
const USUAL = [
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Tokyo',
]

/** What else people call zones: browsers differ in whether they know them by the former name or by the present one. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'asmara',
  'America/Coral_Harbour': 'atikokan',
  'America/Godthab': 'nuuk',
  'Asia/Calcutta': 'kolkata',
  'Asia/Katmandu': 'kathmandu',
  'Asia/Rangoon': 'yangon',
  'Asia/Saigon': 'ho chi minh',
  'Atlantic/Faeroe': 'faroe',
  'Europe/Kiev': 'kyiv',
  'Pacific/Ponape': 'pohnpei',
  'Pacific/Truk': 'chuuk',
}

export interface FoundZone {
  /** By its IANA name. */
  readonly zone: string
  /** From UTC at the instant that was asked about: `+05:30`. */
  readonly offset: string
}

/** Zones whose names or offsets have every word of a search, in any case; without a word, the usual ones. */
export function findZones(search: string, instant: number): readonly FoundZone[] {
  const words = plain(search).split(' ').filter(Boolean)
  if (words.length === 0) return USUAL.map((zone) => ({ zone, offset: offsetOf(zone, instant) }))
  const found: FoundZone[] = []
  for (const zone of zones()) {
    const name = `${plain(zone)} ${OTHER_NAMES[zone] ?? ''}`
    const offset = offsetOf(zone, instant)
    if (!words.every((word) => name.includes(word) || offset.startsWith(signed(word)))) continue
    found.push({ zone, offset })
    if (found.length === FOUND_MAX) break
  }
  return found
}

const zones = (): readonly string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((one) => one !== 'UTC'),
]

/** Without marks on letters, and with spaces for what stands between words. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_/]+/g, ' ')
    .trim()

/** `+5` and `utc+5` are `+05`; what is no offset matches none. */
function signed(word: string): string {
  const [, sign, hours = '', minutes = ''] = /^(?:utc|gmt)?([+-])(\d{1,2})(:\d{0,2})?$/.exec(word) ?? []
  return sign ? sign + hours.padStart(2, '0') + minutes : 'no offset'
}

function offsetOf(zone: string, instant: number): string {
  const minutes = Math.round(zoneOffsetMs(instant, zone) / MINUTE_MS)
  const [hours, rest] = [Math.floor(Math.abs(minutes) / HOUR_MINUTES), Math.abs(minutes) % HOUR_MINUTES]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
