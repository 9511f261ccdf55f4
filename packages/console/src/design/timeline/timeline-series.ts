/** Counts of one kind, a value for each bucket of time. */
export interface TimelineSeries {
  readonly name: string
  /** A CSS custom property of the design, for example `--outcome-origin`. */
  readonly colour: string
  readonly values: readonly number[]
}
