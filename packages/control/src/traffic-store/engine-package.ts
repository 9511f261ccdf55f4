/**
 * ClickHouse in this process is an optional package of half a gigabyte. What needs it loads it here: a control plane with a
 * server by URL neither installs nor loads it.
 */

/** The engine is not installed, which the operator can mend. */
export class EngineMissing extends Error {
  readonly code = 'ENGINE_MISSING'
}

/** Loads the engine. Throws `EngineMissing`, in one line, where its package is not installed for this machine. */
export async function loadEmbeddedEngine(): Promise<typeof import('./embedded-engine.ts')> {
  try {
    return await import('./embedded-engine.ts')
  } catch (cause) {
    throw new EngineMissing(
      'there is no embedded ClickHouse here (the optional package chdb): set CLICKHOUSE_URL to a ClickHouse of your own, or install without --omit=optional',
      { cause },
    )
  }
}
