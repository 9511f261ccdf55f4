/** What an installation of the program has ready for the first start. None of it is needed: without it a start takes longer. */
import { join } from 'node:path'

/** Filled by `prepare-installation.ts`. */
export const PREPARED_FOLDER = join(import.meta.dirname, '../../dist')

/** What Node made of the sources. */
export const COMPILE_CACHE = join(PREPARED_FOLDER, 'compile-cache')

/** A traffic store with nothing in it, for the engine in the control plane's process. */
export const PREPARED_STORE = join(PREPARED_FOLDER, 'traffic-store')
