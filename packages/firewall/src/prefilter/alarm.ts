/** Says of a text at once that nothing can match, where it holds none of the literals that all of some expressions need. */
import { type CompiledNet, isEdged } from './compiled-net.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'

/** Which literals are watched for: without one of them in a text no expression matches. */
export interface Alarm {
  /** By row, whether one may end there. */
  readonly rows: Uint8Array
  /** By literal, whether it is one of them. */
  readonly isRare: Uint8Array
}

/** @param literals by number, those to watch for */
export function compileAlarm(
  { ends, shorter, literalsAt }: LiteralAutomaton,
  literals: readonly number[],
): Alarm {
  const isRare = new Uint8Array(literalsAt.items.length)
  for (const literal of literals) isRare[literal] = 1
  const isRareAt = (end: number): boolean => {
    for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++)
      if (isRare[literalsAt.items[index] ?? 0] === 1) return true
    return false
  }
  const rows = new Uint8Array(ends.length)
  for (let row = 0; row < ends.length; row++) if (ends[row] === row && isRareAt(row)) rows[row] = 1
  const rareEnds = rows.slice()
  const mayRing = (row: number): boolean => {
    let end = ends[row] ?? 0
    while (end !== 0 && rareEnds[end] === 0) end = shorter[end] ?? 0
    return end !== 0
  }
  for (let row = 0; row < ends.length; row++) rows[row] = mayRing(row) ? 1 : 0
  return { rows, isRare }
}

/** Whether one of the literals that are watched for ends at `at` of `text`, where the automaton is in `row`. */
export type IsRung = ({ isRare }: Alarm, row: number, text: string, at: number) => boolean

export const createIsRung =
  (net: CompiledNet, { ends, shorter, literalsAt }: LiteralAutomaton): IsRung =>
  ({ isRare }, row, text, at) => {
    for (let end = ends[row] ?? 0; end !== 0; end = shorter[end] ?? 0)
      for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++) {
        const literal = literalsAt.items[index] ?? 0
        if (isRare[literal] === 1 && isEdged(net, literal, text, at)) return true
      }
    return false
  }
