/** What is closed at this gateway, across a restart: one file, replaced whole and on the disk when a write has ended. */
import { CLOSURE_SCOPES, type ClosureAct } from '@sallyport/contract/words'
import { readIfThere, replaceFileOnDisk, UnfitFile } from '../snapshot/own-files.ts'

export interface WrittenClosures {
  readonly closed: readonly ClosureAct[]
  /** What the control plane has not been told yet, oldest first. */
  readonly unreported: readonly ClosureAct[]
}

/** Nothing is closed where there is no file. Throws for one that is damaged. */
export async function readClosures(path: string): Promise<WrittenClosures> {
  const text = await readIfThere(path)
  const written: Partial<WrittenClosures> = text === undefined ? {} : readJson(text, path)
  const { closed = [], unreported = [] } = written
  if (![...closed, ...unreported].every(isAct)) throw damaged(path)
  return { closed, unreported }
}

export const writeClosures = (path: string, written: WrittenClosures): Promise<void> =>
  replaceFileOnDisk(path, JSON.stringify(written))

function readJson(text: string, path: string): Partial<WrittenClosures> {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(path)
  }
}

const isAct = (act: Partial<ClosureAct> | null): boolean =>
  typeof act?.id === 'string' &&
  (act.act === 'close' || act.act === 'open') &&
  typeof act.scope?.id === 'string' &&
  CLOSURE_SCOPES.includes(act.scope.kind)

const damaged = (path: string): UnfitFile =>
  new UnfitFile(
    `${path} is damaged, so it is not known what an operator closed at this gateway: repair it, or delete it to open everything`,
  )
