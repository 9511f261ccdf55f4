/**
 * What the gate tells a researcher about their own testing. A session cookie, set by an invitation, signs in by itself;
 * a key that is typed in stays in this page's memory and goes along as a header.
 */
import type {
  RESEARCHER_API_PATH,
  ResearcherPageBudget,
  ResearcherPageCredentials,
  ResearcherPageMe,
  ResearcherPageRequests,
  ResearcherPageScope,
} from '@sallyport/contract'

/** Written out, because importing the contract's values would bundle its schemas. */
const API: typeof RESEARCHER_API_PATH = '/.sallyport/api/'

/** What the gate answers, by name. */
export interface Answers {
  readonly me: ResearcherPageMe
  readonly scope: ResearcherPageScope
  readonly budget: ResearcherPageBudget
  readonly requests: ResearcherPageRequests
  readonly credentials: ResearcherPageCredentials
}

/** The gate refused, with its sentence. */
export class GateRefusal extends Error {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

export async function ask<Name extends keyof Answers>(
  name: Name,
  key: string,
  signal?: AbortSignal,
): Promise<Answers[Name]> {
  const response = await fetch(API + name, {
    headers: { accept: 'application/json', ...(key ? { 'sallyport-key': key } : {}) },
    cache: 'no-store',
    ...(signal ? { signal } : {}),
  })
  if (response.ok) return (await response.json()) as Answers[Name]
  const problem = (await response.json().catch(() => null)) as { readonly detail?: string } | null
  throw new GateRefusal(response.status, problem?.detail ?? `The gate answered ${response.status}.`)
}
