/** The words in which the console shows an error. */
import { SilenceError } from '@sallyport/client'
import type { Problem } from '@sallyport/contract'

export interface ErrorWords {
  readonly title: string
  readonly detail: string
  readonly requestId?: string
}

export function errorWords(error: unknown): ErrorWords {
  const problem = problemOf(error)
  if (problem) {
    const fields = problem.errors?.map((field) => `${field.path}: ${field.message}`) ?? []
    return {
      title: problem.title,
      // Where there is nothing to add to the sentence, the API says it twice.
      detail: fields.length > 0 ? fields.join('\n') : problem.detail === problem.title ? '' : problem.detail,
      requestId: problem.requestId,
    }
  }
  if (isPageMissing(error))
    return {
      title: 'This page could not be loaded',
      detail: 'The console may have been updated since it was opened. Reload it to go on.',
    }
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
    return {
      title: 'The control plane is not responding',
      detail: 'Check that it is running and reachable from here.',
    }
  if (error instanceof SilenceError)
    return {
      title: 'The control plane is not responding',
      detail: `Of what was asked, ${error.message}.`,
    }
  if (error instanceof EditConflict) return { title: 'Changed by someone else', detail: error.message }
  return { title: 'Something went wrong', detail: error instanceof Error ? error.message : 'Unknown error.' }
}

/** Whether the code of a page could not be loaded, in the words of Chromium, Firefox and Safari. Of the API that says nothing. */
export const isPageMissing = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)

/** What a refusal says of each field of the body, by the first member of its path: `/ties/3/siteId` is said of `ties`. */
export function fieldFaults(error: unknown): ReadonlyMap<string, string> {
  const faults = new Map<string, string>()
  for (const { path, message } of problemOf(error)?.errors ?? []) {
    const [, field = ''] = path.split('/')
    if (field !== '' && !faults.has(field)) faults.set(field, `It ${message}.`)
  }
  return faults
}

/** Whether the API said no, which is an answer, and asking again changes nothing. */
export function isRefusal(error: unknown): boolean {
  const status = problemOf(error)?.status
  return status !== undefined && status < 500
}

/** Whether it is not there, or not for who asks: asking again is answered alike. */
export function isFinalRefusal(error: unknown): boolean {
  const status = problemOf(error)?.status
  return status === 403 || status === 404
}

/** The problem document inside an error of the client, if there is one. */
export function problemOf(error: unknown): Problem | undefined {
  if (typeof error !== 'object' || error === null || !('problem' in error)) return undefined
  const { problem } = error
  return typeof problem === 'object' && problem !== null && 'status' in problem
    ? (problem as Problem)
    : undefined
}
/** Somebody else saved the same text meanwhile, and two texts cannot be merged. */
export class EditConflict extends Error {
  override readonly name = 'EditConflict'

  constructor(words = 'Someone else saved it meanwhile. Your changes were not saved.') {
    super(words)
  }
}
