/** A collection of everything that is not used any more, which V8 would otherwise make when so much was allocated. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection stands still for 1 to 2 ms for each MiB of objects: this much is some 50 ms. */
const HEAP_BYTES_MAX = 40 * 1024 * 1024

/**
 * Collects now: the event loop stands still for it, some 10 ms in a gateway with few sites. Does nothing where there are so many objects
 * that requests would wait for it: a gateway with many sites, or with much to do, whose own collections are made in small steps.
 */
export function collectGarbage(heapBytesMax = HEAP_BYTES_MAX): void {
  if (getHeapStatistics().used_heap_size > heapBytesMax) return
  // V8 hands the function to contexts that are made with this flag. The flag does nothing else.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
