/**
 * Certificates from a folder: every `<name>.crt` (PEM, with its chain) that has a `<name>.key` beside it. Chosen by the
 * name that the client asks for; looked at every second, so that a renewed certificate is in use without a restart. A
 * pair that cannot be used is reported once and the one before it stays in use.
 */
import { X509Certificate } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Log } from '../../settings.ts'
import { CIPHERS } from './ciphers.ts'

interface Pair {
  /** Changes whenever one of the files does. */
  readonly signature: string
  /** Lower-case names, some of them beginning with `*.`. */
  readonly names: readonly string[]
  readonly context: SecureContext
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number
}

const RELOAD_INTERVAL_MS = 1_000

export class Certificates {
  readonly #directory: string
  readonly #log: Log
  #pairs = new Map<string, Pair>()
  readonly #reported = new Map<string, string>()
  #timer: NodeJS.Timeout | null = null

  private constructor(directory: string, log: Log) {
    this.#directory = directory
    this.#log = log
  }

  /** Loads the folder and keeps it up to date until `close`. Rejects where the folder cannot be read. */
  static async load(directory: string, log: Log): Promise<Certificates> {
    const certificates = new Certificates(directory, log)
    await certificates.#reload()
    if (certificates.#pairs.size === 0)
      log('warn', `no certificate in ${directory}: HTTPS is refused until there is one`)
    certificates.#schedule()
    return certificates
  }

  /**
   * The context for a name: exact before wildcard; for an unknown name, the first there is. A client that names none is
   * not asked about: no certificate is chosen for it, and its handshake fails.
   */
  contextFor(name: string): SecureContext | undefined {
    const lower = name.toLowerCase()
    const wildcard = `*${lower.slice(lower.indexOf('.'))}`
    const pairs = [...this.#pairs.values()]
    const found =
      pairs.find((pair) => pair.names.includes(lower)) ??
      pairs.find((pair) => pair.names.includes(wildcard)) ??
      pairs[0]
    return found?.context
  }

  /** When each certificate expires, milliseconds since the epoch, by its name in the folder. */
  expirations(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#pairs, ([name, { expiresAtMs }]) => [name, expiresAtMs]))
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#reload()
        .catch((error: unknown) => this.#report(this.#directory, `cannot be read: ${String(error)}`))
        .finally(() => {
          if (this.#timer) this.#schedule()
        })
    }, RELOAD_INTERVAL_MS)
    this.#timer.unref()
  }

  async #reload(): Promise<void> {
    const files = new Set(await readdir(this.#directory))
    const names = [...files].filter((file) => file.endsWith('.crt')).map((file) => file.slice(0, -4))
    const pairs = new Map<string, Pair>()
    for (const name of names.sort()) {
      const pair = files.has(`${name}.key`) ? await this.#read(name) : undefined
      if (pair) pairs.set(name, pair)
    }
    this.#pairs = pairs
  }

  async #read(name: string): Promise<Pair | undefined> {
    const before = this.#pairs.get(name)
    const paths = [join(this.#directory, `${name}.crt`), join(this.#directory, `${name}.key`)] as const
    try {
      const signature = (await Promise.all(paths.map(signatureOf))).join(' ')
      if (before?.signature === signature) return before
      const [cert, key] = await Promise.all([readFile(paths[0]), readFile(paths[1])])
      const pair = {
        signature,
        ...factsOf(cert),
        context: createSecureContext({ cert, key, ciphers: CIPHERS }),
      }
      this.#log('info', `certificate ${name} is in use for ${pair.names.join(', ')}`)
      this.#reported.delete(name)
      return pair
    } catch (error) {
      this.#report(name, `cannot be used: ${error instanceof Error ? error.message : String(error)}`)
      return before
    }
  }

  #report(name: string, problem: string): void {
    if (this.#reported.get(name) === problem) return
    this.#reported.set(name, problem)
    this.#log('error', `certificate ${name} ${problem}`)
  }
}

async function signatureOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path)
  return `${mtimeMs}:${size}:${ino}`
}

/** Of the first certificate of a chain. */
function factsOf(pem: Buffer): Pick<Pair, 'names' | 'expiresAtMs'> {
  const { subjectAltName = '', validTo } = new X509Certificate(pem)
  return {
    names: [...subjectAltName.matchAll(/DNS:([^,\s]+)/g)].map((match) => (match[1] ?? '').toLowerCase()),
    expiresAtMs: Date.parse(validTo),
  }
}
