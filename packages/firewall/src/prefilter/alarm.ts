/** Says of a text at once that nothing can match, where it holds none of the literals that all of some expressions need. */
import { type CompiledNet, isEdged } from './compiled-net.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'

/** Says whether one of the literals ends in a text without which no expression matches. */
export interface Alarm {
  /** By row, whether one may end there. */
  readonly rows: Uint8Array
  isRung(row: number, text: string, at: number): boolean
}

/** @param literals by number, those to watch for */
export function createAlarm(
  net: CompiledNet,
  { ends, shorter, literalsAt }: LiteralAutomaton,
  literals: readonly number[],
): Alarm {
  const isRare = new Uint8Array(net.lengths.length)
  for (const literal of literals) isRare[literal] = 1
  const isRareAt = (end: number): boolean => {
    for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++)
      if (isRare[literalsAt.items[index] ?? 0] === 1) return true
    return false
  }
  const rareEnds = new Uint8Array(ends.length)
  for (let row = 0; row < ends.length; row++) if (ends[row] === row && isRareAt(row)) rareEnds[row] = 1
  const mayRing = (row: number): boolean => {
    let end = ends[row] ?? 0
    while (end !== 0 && rareEnds[end] === 0) end = shorter[end] ?? 0
    return end !== 0
  }
  const isRung = (row: number, text: string, at: number): boolean => {
    for (let end = ends[row] ?? 0; end !== 0; end = shorter[end] ?? 0)
      for (let index = literalsAt.starts[end] ?? 0; index < (literalsAt.starts[end + 1] ?? 0); index++) {
        const literal = literalsAt.items[index] ?? 0
        if (isRare[literal] === 1 && isEdged(net, literal, text, at)) return true
      }
    return false
  }
  return { rows: rareEnds.map((_, row) => (mayRing(row) ? 1 : 0)), isRung }
}
