/** Loaded before a program (`--import`): its wall clock differs by `SHIFTED_CLOCK_MS`. The monotonic clock stays as it is. */
const shiftMs = Number(process.env.SHIFTED_CLOCK_MS ?? 0)
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + shiftMs] : given, newTarget),
  apply: () => new RealDate(RealDate.now() + shiftMs).toString(),
  get: (target, name) =>
    name === 'now' ? () => RealDate.now() + shiftMs : Reflect.get(target, name, target),
})
