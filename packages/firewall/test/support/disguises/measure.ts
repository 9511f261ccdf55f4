/** How much of what is found plain is found in a disguise, and how much harmless text raises an alarm in it. */
import type { Engine } from '../../../src/index.ts'
import { inspect } from '../corpus.ts'
import { get } from '../requests.ts'
import { ATTACKS, HARMLESS } from './attacks.ts'
import type { Disguise } from './disguises.ts'

export interface Measured {
  readonly kind: string
  readonly attacks: number
  /** Attacks of which no hit is of a class that they are found as when they stand plain. */
  readonly missed: readonly string[]
  /** Harmless texts with a hit. */
  readonly alarms: readonly string[]
}

/** The classes of attack that each attack is found as where it is the value of a query. */
export async function classesOfPlain(engine: Engine): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const classes = new Map<string, ReadonlySet<string>>()
  for (const { text } of ATTACKS) {
    const { hits } = await inspect(engine, get(`/?note=${encodeURIComponent(text)}`))
    classes.set(text, new Set(hits.map((hit) => hit.class)))
  }
  return classes
}

/** Sends attacks and harmless texts through one disguise. */
export async function measure(
  engine: Engine,
  { kind, attacks, request }: Disguise,
  plain: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Measured> {
  const missed: string[] = []
  for (const [index, { text }] of attacks.entries()) {
    const { hits } = await inspect(engine, request(text, index))
    if (!hits.some((hit) => plain.get(text)?.has(hit.class))) missed.push(text)
  }
  const alarms: string[] = []
  for (const [index, text] of HARMLESS.entries()) {
    const [hit] = (await inspect(engine, request(text, index))).hits
    if (hit) alarms.push(`${text}: ${hit.rule} ${hit.excerpt}`)
  }
  return { kind, attacks: attacks.length, missed, alarms }
}
