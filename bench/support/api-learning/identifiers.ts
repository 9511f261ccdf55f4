/** Values as real services have them: numbers, UUIDs, tokens, names of people, repositories and machines. */
import type { DocumentedParameter } from './documents.ts'
import type { Random } from './random.ts'

const PEOPLE =
  'alice bob carol david erin frank grace heidi ivan judy mallory nina oscar peggy rupert sybil trent ursula victor wendy xavier yvonne zoe amelia bruno chiara dmitri elena farid greta hugo ines jonas katya liam maya noah olga pablo quentin rosa stefan tara umar vera wanda yusuf'.split(
    ' ',
  )
const THINGS =
  'atlas beacon comet delta ember falcon garnet harbor indigo jasper kestrel lumen meteor nimbus onyx prism quartz ripple saffron tundra umbra vertex willow zephyr'.split(
    ' ',
  )
const HEX = '0123456789abcdef'
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export const uuid = (random: Random): string =>
  [8, 4, 4, 4, 12].map((length) => random.text(HEX, length)).join('-')

const name = (random: Random): string => {
  const person = random.pick(PEOPLE)
  const thing = random.pick(THINGS)
  switch (random.below(6)) {
    case 0:
      return person
    case 1:
      return `${person}${random.below(90) + 10}`
    case 2:
      return `${person}-${thing}`
    case 3:
      return thing
    case 4:
      return `${thing}-${random.pick(THINGS)}`
    default:
      return `${person.charAt(0)}${random.pick(PEOPLE)}`
  }
}

/** The kinds of opaque identifiers; a service has one of them for one parameter. */
const OPAQUE: readonly ((random: Random) => string)[] = [
  (random) => String(10 ** 15 + Math.floor(random.next() * 9e15)),
  (random) => uuid(random),
  (random) => random.text(HEX, 24),
  (random) => `${random.pick(['acc', 'usr', 'tok', 'evt', 'prj'])}_${random.text(ALPHANUMERIC, 14)}7`,
  (random) => `${random.text('CDTUGW', 1)}${random.text('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 7)}42`,
]

const hashOf = (text: string): number =>
  [...text].reduce((hash, char) => (hash * 31 + char.charCodeAt(0)) >>> 0, 7)

/** A value of a parameter, such as it would have in a request. */
export function sampleValue(
  { name: parameter, type, format, values }: DocumentedParameter,
  random: Random,
): string {
  if (values.length > 0) return random.pick(values)
  if (type === 'integer') return String(random.below(10 ** (3 + random.below(5))) + 1)
  if (type === 'number') return (random.next() * 100).toFixed(2)
  if (type === 'boolean') return random.chance(0.5) ? 'true' : 'false'
  if (format === 'uuid') return uuid(random)
  const day = `2026-0${random.below(9) + 1}-1${random.below(10)}`
  if (format === 'date') return day
  if (format === 'date-time') return `${day}T08:00:${random.below(50) + 10}Z`
  if (/(?:sha|commit|digest)/i.test(parameter)) return random.text(HEX, 40)
  if (/email/i.test(parameter)) return `${random.pick(PEOPLE)}@${random.pick(THINGS)}.example`
  if (/(?:^|_)(?:g?id|gid|key|token|number)$|id$/i.test(parameter) && !/slug|name/i.test(parameter)) {
    const make = OPAQUE[hashOf(parameter) % OPAQUE.length]
    if (make) return make(random)
  }
  return name(random)
}
