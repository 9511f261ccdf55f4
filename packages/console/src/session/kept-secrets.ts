/**
 * Secrets that the server shows once, until somebody says that they are stored: a reload, an Escape or a link would lose them otherwise.
 * They lie in this tab's session storage beside its tokens, never longer than a quarter of an hour, and not after the session.
 * Without React, which the entry is not to bring along: `use-kept-secrets.ts` has what components ask.
 */

const STORAGE_KEY = 'sallyport.kept-secrets'
const KEPT_MS = 900_000
const DRAWN_WITHIN_MS = 3_000
/** Who makes more at once stores them elsewhere already. */
const KEPT_MAX = 20

export interface KeptSecret {
  readonly label: string
  readonly value: string
  /** Milliseconds since the epoch. */
  readonly keptAt: number
}

const NONE: readonly KeptSecret[] = []
const listeners = new Set<() => void>()
/** How often each value is on the page now. */
const shown = new Map<string, number>()
let secrets: readonly KeptSecret[] | null = null
/** Those of them that are not on the page: a new array where it changes, as React wants it. */
let lost: readonly KeptSecret[] = NONE

function isKeptSecret(one: unknown): one is KeptSecret {
  const { label, value, keptAt } = (one ?? {}) as Partial<Record<keyof KeptSecret, unknown>>
  return typeof label === 'string' && typeof value === 'string' && typeof keptAt === 'number'
}

function stored(): readonly KeptSecret[] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(read) ? read.filter(isKeptSecret) : NONE
  } catch {
    return NONE
  }
}

/** Writes what is left of them, and says so. */
function settle(next: readonly KeptSecret[]): void {
  const now = Date.now()
  const left = next.filter(({ keptAt }) => keptAt <= now && now - keptAt < KEPT_MS).slice(-KEPT_MAX)
  secrets = left
  if (left.length > 0) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(left))
  else sessionStorage.removeItem(STORAGE_KEY)
  lost = left.filter(({ value }) => !shown.has(value))
  for (const changed of listeners) changed()
  const oldest = left[0]
  if (oldest) setTimeout(() => settle(all()), oldest.keptAt + KEPT_MS - now + 1)
}

function all(): readonly KeptSecret[] {
  secrets ??= stored()
  return secrets
}

/** Keeps a secret that is on the page from now on; the function that it answers says that it is no more. */
export function keepSecret(label: string, value: string): () => void {
  shown.set(value, (shown.get(value) ?? 0) + 1)
  const isKnown = isKept(value)
  settle(isKnown ? all() : [...all(), { label, value, keptAt: Date.now() }])
  return () => {
    const left = (shown.get(value) ?? 1) - 1
    if (left > 0) shown.set(value, left)
    else shown.delete(value)
    settle(all())
  }
}

/**
 * Keeps a secret from its answer on: who has left the page by then, or closed its dialog, has not seen it. For so long as the page may take
 * to show it, it counts as shown.
 */
export function keepAnsweredSecret(label: string, value: string): void {
  setTimeout(keepSecret(label, value), DRAWN_WITHIN_MS)
}

/** Somebody says that these are stored. */
export const forgetSecrets = (values: readonly string[]): void =>
  settle(all().filter(({ value }) => !values.includes(value)))

/** The session is over: whoever comes next is somebody else. */
export const forgetAllSecrets = (): void => settle(NONE)

/** Those that were shown, are not on the page any more, and nobody said that they are stored: the same array until it changes. */
export const lostSecrets = (): readonly KeptSecret[] => lost

/** Whether a secret is kept still. */
export const isKept = (value: string): boolean => all().some((one) => one.value === value)

/** Calls back when either changes; the function that it answers ends that. */
export function onKeptSecrets(changed: () => void): () => void {
  listeners.add(changed)
  // What an earlier page of this tab has left.
  if (secrets === null) queueMicrotask(() => settle(all()))
  return () => listeners.delete(changed)
}
