import type { AddressGroup, RequestPart } from './addresses.ts'

/** One value of a request: the smallest thing that is judged and blamed. */
export interface RequestValue {
  readonly part: RequestPart
  /** Name of the parameter, header or field; empty where there is none. */
  readonly parameter: string
  /** The value as the origin would first read it. */
  readonly text: string
  /** Where rules find it. */
  readonly group: AddressGroup
  /** True of many values that are judged together as text, a value a line. */
  readonly isJoined?: boolean
  /** True of what can be read in a font, a compiled program or the like, a run of it a line. */
  readonly isData?: boolean
}

/** Takes values as they are found. */
export type ValueSink = (value: RequestValue) => void

/** So many values are read in one step: a millisecond's work at most, and seldom enough to cost nothing. */
export const VALUES_PER_STEP = 64
