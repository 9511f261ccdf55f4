/**
 * The limiters' clock: milliseconds since the epoch as of the start of the process, and monotonic from then on. Setting
 * the machine's clock, or a leap of its synchronization, neither opens a window early nor holds one open.
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now()
