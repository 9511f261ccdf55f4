/**
 * The limiters' clock: milliseconds since the epoch as of the start of the process, and monotonic from then on. Setting
 * the machine's clock, or a leap of its synchronization, neither opens a window early nor holds one open.
 */
import { performance } from 'node:perf_hooks'

export const steadyNow = (): number => STARTED_AT + performance.now()
const STARTED_AT = performance.timeOrigin
