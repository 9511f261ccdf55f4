/** Where the journals of a gateway lie: one for each thread. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { GATEWAY_THREADS_MAX } from '@sallyport/contract/words'

/** The first thread has the one that a gateway of one thread has. */
export const journalFolder = (dataDir: string, thread: number): string =>
  join(dataDir, thread === 0 ? 'journal' : `journal-${thread}`)

/** The numbers of all journals that are there, in order. */
export async function journalsIn(dataDir: string): Promise<readonly number[]> {
  const names = new Set(await readdir(dataDir))
  const numbers = Array.from({ length: GATEWAY_THREADS_MAX }, (_, thread) => thread)
  return numbers.filter((thread) => names.has(basename(journalFolder(dataDir, thread))))
}

/** The numbers of the journals that no thread of `threads` has. */
export const otherJournals = async (dataDir: string, threads: number): Promise<readonly number[]> =>
  (await journalsIn(dataDir)).filter((thread) => thread >= threads)
