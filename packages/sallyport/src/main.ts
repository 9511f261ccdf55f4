/** The `sallyport` command. */
import { existsSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { COMPILE_CACHE } from './prepared/prepared-folder.ts'

// What Node made of the sources when the program was installed: half of what a start takes. An operator's own folder wins.
if (process.env.NODE_COMPILE_CACHE === undefined && existsSync(COMPILE_CACHE)) {
  enableCompileCache(COMPILE_CACHE)
  // For its threads, and for the processes that it starts.
  if (getCompileCacheDir() !== undefined) process.env.NODE_COMPILE_CACHE = COMPILE_CACHE
}
const { createProgram } = await import('./program.ts')
const { failToStart } = await import('./roles/run-role.ts')

await createProgram()
  .parseAsync()
  .then(() => process.exit(), failToStart)
