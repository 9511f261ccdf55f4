/**
 * Spans of what a process does. Until `startTracing` was called (once a thread) every function here costs a comparison: the
 * library is not even loaded.
 */
import type { Sdk } from './sdk.ts'
import type { OpenSpan, SpanDescription, TracedProcess, TraceHeaders, TracesSettings } from './types.ts'

export type { SpanDescription } from './types.ts'

let sdk: Sdk | null = null

/**
 * Begins to trace in this thread, unless the settings are null. What it returns hands over what is left, and stops. Rejects where
 * it was begun already.
 */
export async function startTracing(
  settings: TracesSettings | null,
  process: TracedProcess,
): Promise<() => Promise<void>> {
  if (!settings) return async () => undefined
  if (sdk) throw new Error('traces are on already')
  const { openSdk } = await import('./sdk.ts')
  const opened = openSdk({ ...settings, ...process })
  sdk = opened
  return async () => {
    sdk = null
    await opened.close()
  }
}

/** Whether anything is traced, for those who would work out what to say of a span. */
export const isTracing = (): boolean => sdk !== null

/** Begins a span: a child of the one that runs, or of its caller's, or the first of a trace. Null where nothing is traced. */
export const beginSpan = (description: SpanDescription): OpenSpan | null => sdk?.begin(description) ?? null

/** Does something within a span of its own, which fails if it rejects. */
export async function inSpan<T>(description: SpanDescription, act: () => Promise<T>): Promise<T> {
  const span = beginSpan(description)
  if (!span) return act()
  try {
    const result = await span.run(act)
    span.end()
    return result
  } catch (error) {
    span.end({}, { failed: true })
    throw error
  }
}

/** The headers that tell a callee which trace it belongs to; none where nothing is traced. */
export const traceHeaders = (): TraceHeaders & Readonly<Record<string, string>> => sdk?.headers() ?? {}
