/** A place in the journal: a segment's number and a byte offset in it. */
export interface Position {
  readonly segment: number
  readonly offset: number
}

/** Below zero where `a` comes before `b`. */
export const comparePositions = (a: Position, b: Position): number =>
  a.segment === b.segment ? a.offset - b.offset : a.segment - b.segment
