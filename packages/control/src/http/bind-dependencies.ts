/** Functions without their first parameter. */
export type Bound<Acts> = {
  readonly [Name in keyof Acts]: Acts[Name] extends (deps: never, ...input: infer Input) => infer Result
    ? (...input: Input) => Result
    : never
}

/** A service: functions whose first parameter is what they depend on, with that given. */
export function bindDependencies<
  Deps,
  Acts extends Readonly<Record<string, (deps: Deps, ...input: never[]) => unknown>>,
>(deps: Deps, acts: Acts): Bound<Acts> {
  const bound = Object.entries(acts).map(([name, act]) => [
    name,
    (...input: never[]): unknown => act(deps, ...input),
  ])
  // Each entry has the parameters and the result of its function, which `entries` does not say.
  return Object.fromEntries(bound)
}
