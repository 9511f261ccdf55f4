/** What a check has found. */
export interface Finding {
  /** What was looked at, as `PostgreSQL` or `port 7080`. */
  readonly check: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
  /** What to do; empty where there is nothing. */
  readonly advice: string
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail, advice: '' })
export const warning = (check: string, detail: string, advice: string): Finding => ({
  ...{ check, state: 'warning', detail, advice },
})
export const failed = (check: string, detail: string, advice: string): Finding => ({
  ...{ check, state: 'failed', detail, advice },
})
export const skipped = (check: string, detail: string): Finding => ({
  ...{ check, state: 'skipped', detail, advice: '' },
})

/** What went wrong, in one line. What `fetch` throws has it in its cause; of several addresses the first says it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return (error.message || error.name).split('\n', 1)[0] ?? ''
}
