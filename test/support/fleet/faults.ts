/** What may happen to a part of a fleet or to the way between two: how it begins, and how it ends. */
import type { FaultyLink, LinkState } from '../faulty-link.ts'
import type { Fleet } from './fleet.ts'
import type { Service } from './service.ts'

export interface Fault {
  readonly name: string
  begin(fleet: Fleet, origin: FaultyLink): void | Promise<void>
  /** What dies is started again without it. */
  end?(fleet: Fleet, origin: FaultyLink): void | Promise<void>
}

const kill = (name: string, which: (fleet: Fleet) => Service): Fault => ({
  name: `kill -9 of ${name}`,
  begin: (fleet) => which(fleet).kill(),
})
const freeze = (name: string, which: (fleet: Fleet) => Service): Fault => ({
  name: `SIGSTOP of ${name}`,
  begin: (fleet) => which(fleet).freeze(),
  end: (fleet) => which(fleet).thaw(),
})

type Links = (fleet: Fleet, origin: FaultyLink) => readonly FaultyLink[]
const spoil = (name: string, which: Links, state: LinkState): Fault => ({
  name,
  begin: (fleet, origin) => {
    for (const link of which(fleet, origin)) link.set(state)
  },
  end: (fleet, origin) => {
    for (const link of which(fleet, origin)) link.set({ kind: 'sound' })
  },
})

const UNSTEADY: LinkState = { kind: 'unsteady', delayMs: 300, resets: 0.1 }
const HALF: LinkState = { kind: 'half-closed' }
const SILENT: LinkState = { kind: 'silent' }

const gateway = (fleet: Fleet): Service => at(fleet.gateways, 0)
const control = (fleet: Fleet): Service => at(fleet.controls, 0)

function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index]
  if (value === undefined) throw new Error(`the fleet has no part ${index}`)
  return value
}

const ways = {
  'the ways to the control planes': ({ links }: Fleet) => links.controls,
  'the way to PostgreSQL': ({ links }: Fleet) => [links.database],
  'the way to ClickHouse': ({ links }: Fleet) => [links.store],
  'the way to the origin': (_fleet: Fleet, origin: FaultyLink) => [origin],
} as const satisfies Record<string, Links>

const between: Links = ({ links }) => [...links.controls, links.database, links.store]

/** Deaths, stops and ways that fail, of everything but Valkey. */
export const CORE_FAULTS: readonly Fault[] = [
  kill('a gateway', gateway),
  kill('a control plane', control),
  kill('PostgreSQL', ({ database }) => database),
  kill('ClickHouse', ({ store }) => store),
  freeze('a gateway', gateway),
  freeze('a control plane', control),
  freeze('PostgreSQL', ({ database }) => database),
  freeze('ClickHouse', ({ store }) => store),
  spoil('every way between the parts delays and resets', between, UNSTEADY),
  spoil('the way to the origin delays and resets', ways['the way to the origin'], UNSTEADY),
  spoil('the ways to the control planes half-closed', ways['the ways to the control planes'], HALF),
]

/** What takes longer, or says nothing that those above do not. */
export const FURTHER_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of every gateway',
    begin: ({ gateways }) => gateways.forEach((one) => void one.kill()),
  },
  {
    name: 'kill -9 of every control plane',
    begin: ({ controls }) => controls.forEach((one) => void one.kill()),
  },
  {
    name: 'SIGSTOP of every control plane',
    begin: ({ controls }) => controls.forEach((one) => void one.freeze()),
    end: ({ controls }) => controls.forEach((one) => void one.thaw()),
  },
  ...Object.entries(ways).flatMap(([name, which]) => [
    spoil(`${name} silent`, which, SILENT),
    spoil(`${name} half-closed`, which, HALF),
  ]),
]

/** Those of Valkey, in which each gateway counts by itself. */
export const VALKEY_FAULTS: readonly Fault[] = [
  kill('Valkey', ({ valkey }) => valkey),
  freeze('Valkey', ({ valkey }) => valkey),
  spoil('the way to Valkey delays and resets', ({ links }) => [links.valkey], UNSTEADY),
  pauses('Valkey, for 50 to 250 ms at a time', ({ valkey }) => valkey),
]

/** Stops it for a moment, again and again. */
function pauses(name: string, which: (fleet: Fleet) => Service): Fault {
  let timer: NodeJS.Timeout | undefined
  return {
    name: `pauses of ${name}`,
    begin: (fleet) => {
      const service = which(fleet)
      const next = (): void => {
        service.freeze()
        timer = setTimeout(
          () => {
            service.thaw()
            timer = setTimeout(next, 100)
          },
          50 + 200 * Math.random(),
        )
      }
      next()
    },
    end: (fleet) => {
      clearTimeout(timer)
      which(fleet).thaw()
    },
  }
}
