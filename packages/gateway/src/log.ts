/** A line for the gateway's log. */
export type Log = (level: 'info' | 'warn' | 'error', line: string) => void
