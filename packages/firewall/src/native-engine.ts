/**
 * libddwaf, with types: strings in, matches out. Everything that is particular to the library stays in this file.
 */
import appsec from '@datadog/native-appsec'
import type { EngineRule } from './rules/compiled-rules.ts'

/** Values by address and key. A key leads back to the value; for headers it is the name, as rules select by it. */
export type EnginePayload = Record<string, Record<string, readonly string[]>>

/** One condition that matched. */
export interface EngineMatch {
  readonly condition: number
  readonly address: string
  readonly key: string
  /** The text that matched; for a rule without an expression, the whole string. */
  readonly matched: string
  /** The text in which it matched, after its transformations. */
  readonly text: string
}

export interface EngineRun {
  readonly matches: readonly EngineMatch[]
  /** True where libddwaf ran out of the time it was given. */
  readonly timedOut: boolean
}

/** Compiled rules. Each run stands alone. */
export interface NativeEngine {
  /** Addresses that some rule looks at; values of others need not be shown. */
  readonly addresses: ReadonlySet<string>
  /** Conditions that libddwaf refused, with its reason. */
  readonly refused: ReadonlyMap<number, string>
  run(payload: EnginePayload, timeUs: number): EngineRun
  dispose(): void
}

/** Keys of one map, and strings of one list, that a run is given at most; libddwaf ignores what goes beyond 256. */
export const CONTAINER_ENTRIES_MAX = 250

/** Compiles rules. Takes tens of milliseconds: never on a request's path. */
export function createNativeEngine(rules: readonly EngineRule[]): NativeEngine {
  const engine = new appsec.DDWAF({ version: '2.2', rules }, 'rules')
  return {
    addresses: engine.knownAddresses,
    refused: refusals(engine.diagnostics.rules),
    run(payload, timeUs) {
      const context = engine.createContext()
      try {
        const result = context.run({ persistent: payload }, Math.max(1, Math.floor(timeUs)))
        return { matches: (result.events ?? []).flatMap(matchesOf), timedOut: result.timeout === true }
      } finally {
        context.dispose()
      }
    },
    dispose: () => engine.dispose(),
  }
}

const NO_RULES_LOADED = new Map<number, string>()

function refusals(diagnostics: unknown): ReadonlyMap<number, string> {
  const errors =
    (diagnostics as { errors?: Record<string, string[]>; warnings?: Record<string, string[]> }) ?? {}
  const entries = [...Object.entries(errors.errors ?? {}), ...Object.entries(errors.warnings ?? {})]
  if (entries.length === 0) return NO_RULES_LOADED
  return new Map(entries.flatMap(([reason, ids]) => ids.map((id) => [conditionOf(id), reason] as const)))
}

const conditionOf = (id: string): number => Number(id.slice(1))

/** The shape of a libddwaf event, as far as it is read (its schema/events.json). */
interface NativeEvent {
  readonly rule: { readonly id: string }
  readonly rule_matches: readonly {
    readonly operator: string
    readonly parameters: readonly {
      readonly address: string
      readonly key_path: readonly (string | number)[]
      readonly value: string
      readonly highlight: readonly string[]
    }[]
  }[]
}

function matchesOf(value: object): EngineMatch[] {
  const event = value as NativeEvent
  const match = event.rule_matches[0]
  const parameter = match?.parameters[0]
  if (!match || !parameter) return []
  // libinjection's highlight is a fingerprint such as `sUEnk`, which says nothing to a reader.
  const isFingerprint = match.operator === 'is_sqli' || match.operator === 'is_xss'
  return [
    {
      condition: conditionOf(event.rule.id),
      address: parameter.address,
      key: String(parameter.key_path[0] ?? ''),
      matched: (isFingerprint ? undefined : parameter.highlight[0]) ?? parameter.value,
      text: parameter.value,
    },
  ]
}
