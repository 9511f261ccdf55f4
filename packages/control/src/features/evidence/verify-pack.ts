/**
 * Checks an evidence pack, offline: that its manifest is signed, that every file is the one that the manifest names, that
 * both chains are whole, and that the archive holds nothing else and not one byte that its contents do not explain.
 */
import { createHash, createPublicKey, type Hash, verify } from 'node:crypto'
import { type Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BODY_BYTES_MAX } from '@sallyport/contract'
import { LineReader } from '@sallyport/toolbox'
import { extract, type Pack, pack } from 'tar-stream'
import { CHAIN_START, chainFault } from '../../audit/chain.ts'
import { fingerprintOf } from './evidence-key.ts'
import {
  type AuditLine,
  FILES_OF_FORMAT,
  fileHeader,
  MANIFEST_FILE,
  NO_HASH,
  type PackManifest,
  PROJECT_PACK_FORMAT,
  packManifest,
  SIGNATURE_FILE,
  sha256,
  type TrafficLine,
} from './pack-format.ts'

export interface PackVerification {
  /** True where nothing was changed since the key signed it and, if a fingerprint was given, that key is the one. */
  readonly isIntact: boolean
  /** What is wrong, in sentences. */
  readonly problems: readonly string[]
  /** Of the key that signed; compare it with what the operator says. Empty where there is none. */
  readonly fingerprint: string
  /** Null where it cannot be read. */
  readonly manifest: PackManifest | null
}

const SMALL_FILE_BYTES_MAX = 1024 * 1024
/** An audit entry holds what a request may bring before and after, and its text is escaped once more in its line. */
const LINE_BYTES_MAX = 8 * BODY_BYTES_MAX

interface ReadFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** The content of the manifest and the signature; empty for others. */
  readonly content: Buffer
}

interface PackContents {
  readonly files: ReadFile[]
  readonly traffic: TrafficChain
  readonly audit: AuditChain
}

/**
 * @param archive the bytes of the pack
 * @param expectedFingerprint of the key that must have signed it; without it any key will do, and the answer names it
 */
export async function verifyPack(archive: Readable, expectedFingerprint?: string): Promise<PackVerification> {
  const problems: string[] = []
  const contents: PackContents = {
    files: [],
    traffic: new TrafficChain(problems),
    audit: new AuditChain(problems),
  }
  try {
    await readArchive(archive, contents, problems)
  } catch (error) {
    problems.push(`the archive cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const manifest = readManifest(contents.files, problems)
  const fingerprint = manifest ? checkSignature(contents.files, manifest, problems) : ''
  if (manifest) checkContents(contents, manifest, problems)
  if (expectedFingerprint && fingerprint !== expectedFingerprint)
    problems.push(`signed by ${fingerprint || 'nobody'}, not by ${expectedFingerprint}`)
  return { isIntact: problems.length === 0, problems, fingerprint, manifest }
}

/** Reads the archive and makes it anew from its contents: the two must be the same to the byte. */
async function readArchive(archive: Readable, contents: PackContents, problems: string[]): Promise<void> {
  const original = createHash('sha256')
  const remade = createHash('sha256')
  const entries = extract()
  const again = pack()
  const remaking = pipeline(again, hashing(remade))
  const feeding = pipeline(archive, passing(original), entries)
  feeding.catch((error: Error) => entries.destroy(error))
  remaking.catch(() => undefined)
  try {
    for await (const entry of entries) {
      const copy = again.entry(fileHeader(entry.header.name, entry.header.size ?? 0))
      contents.files.push(await readFile(entry, entry.header.name, copy, contents))
    }
    await feeding
    again.finalize()
    await remaking
  } finally {
    again.destroy()
  }
  if (original.digest('hex') !== remade.digest('hex')) problems.push('the archive is not as it was written')
}

const hashing = (hash: Hash): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      done()
    },
  })

const passing = (hash: Hash): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      done(null, chunk)
    },
  })

async function readFile(
  entry: AsyncIterable<unknown>,
  name: string,
  copy: ReturnType<Pack['entry']>,
  contents: PackContents,
): Promise<ReadFile> {
  const hash = createHash('sha256')
  const kept: Buffer[] = []
  let bytes = 0
  const chain =
    name === 'traffic.ndjson' ? contents.traffic : name === 'audit.ndjson' ? contents.audit : undefined
  const isKept = name === MANIFEST_FILE || name === SIGNATURE_FILE
  for await (const chunk of entry) {
    if (!Buffer.isBuffer(chunk)) continue
    hash.update(chunk)
    bytes += chunk.length
    if (isKept && bytes <= SMALL_FILE_BYTES_MAX) kept.push(chunk)
    chain?.write(chunk)
    if (!copy.write(chunk)) await new Promise<void>((ready) => copy.once('drain', () => ready()))
  }
  await new Promise<void>((ended) => copy.end(() => ended()))
  chain?.end()
  return { name, bytes, sha256: hash.digest('hex'), content: Buffer.concat(kept) }
}

function readManifest(files: readonly ReadFile[], problems: string[]): PackManifest | null {
  const file = files.find(({ name }) => name === MANIFEST_FILE)
  if (!file) {
    problems.push('there is no manifest')
    return null
  }
  try {
    return packManifest.parse(JSON.parse(file.content.toString('utf8')))
  } catch {
    problems.push('the manifest is not one')
    return null
  }
}

/** Returns the fingerprint of the key in the manifest. */
function checkSignature(files: readonly ReadFile[], manifest: PackManifest, problems: string[]): string {
  const content = files.find(({ name }) => name === MANIFEST_FILE)?.content ?? Buffer.alloc(0)
  const signature = files.find(({ name }) => name === SIGNATURE_FILE)?.content.toString('utf8') ?? ''
  try {
    const key = createPublicKey(manifest.publicKey)
    const isOurs = key.asymmetricKeyType === 'ed25519'
    const bytes = Buffer.from(signature, 'base64')
    // Several texts decode to the same bytes; only one of them was written.
    const isSigned = isOurs && bytes.toString('base64') === signature && verify(null, content, key, bytes)
    if (!isSigned) problems.push('the signature does not fit the manifest')
    return fingerprintOf(key)
  } catch {
    problems.push('the manifest holds no usable key')
    return ''
  }
}

function checkContents(
  { files, traffic, audit }: PackContents,
  manifest: PackManifest,
  problems: string[],
): void {
  const written = FILES_OF_FORMAT[manifest.format]
  if ((manifest.project === undefined) !== (manifest.format !== PROJECT_PACK_FORMAT))
    problems.push('the manifest does not name the project that its format is about')
  const expected = [...written, MANIFEST_FILE, SIGNATURE_FILE]
  if (files.map(({ name }) => name).join() !== expected.join())
    problems.push(
      `the archive holds ${files.map(({ name }) => name).join(', ')} instead of ${expected.join(', ')}`,
    )
  for (const name of written) {
    const file = files.find((candidate) => candidate.name === name)
    const named = manifest.files.find((candidate) => candidate.name === name)
    if (!file || !named || file.sha256 !== named.sha256 || file.bytes !== named.bytes)
      problems.push(`${name} is not the file that was signed`)
  }
  if (traffic.count !== manifest.traffic.events || traffic.lastHash !== manifest.traffic.lastHash)
    problems.push('the chain of the traffic does not end where the manifest says')
  if (audit.count !== manifest.audit.entries || audit.lastHash !== manifest.audit.lastHash)
    problems.push('the chain of the audit log does not end where the manifest says')
}

/** Splits chunks into lines and hands them on; lines that are too long are a problem, not memory. */
abstract class Lines {
  count = 0
  readonly #lines = new LineReader()
  protected readonly problems: string[]
  #isBroken = false
  constructor(problems: string[]) {
    this.problems = problems
  }
  write(chunk: Buffer): void {
    const lines = this.#lines
    lines.add(chunk)
    for (let line = lines.next(); line; line = lines.next()) this.#check(line.subarray(0, -1))
    if (lines.pendingBytes <= LINE_BYTES_MAX) return
    lines.rest()
    this.fail('has a line that is too long')
  }
  end(): void {
    if (this.#lines.rest().length > 0) this.fail('ends in the middle of a line')
  }
  #check(line: Buffer): void {
    this.count += 1
    try {
      this.check(line)
    } catch {
      this.fail('is not readable')
    }
  }
  protected abstract check(line: Buffer): void
  protected abstract readonly name: string
  /** Says the first problem of a chain only: all that follows is broken with it. */
  protected fail(what: string): void {
    if (!this.#isBroken) this.problems.push(`${this.name}, line ${this.count}: ${what}`)
    this.#isBroken = true
  }
}

class TrafficChain extends Lines {
  lastHash = NO_HASH
  protected readonly name = 'traffic.ndjson'
  protected check(line: Buffer): void {
    const { previous }: TrafficLine = JSON.parse(line.toString('utf8'))
    if (previous !== this.lastHash) this.fail('does not follow the line before')
    this.lastHash = sha256(line)
  }
}

class AuditChain extends Lines {
  lastHash = CHAIN_START.hash
  protected readonly name = 'audit.ndjson'
  protected check(line: Buffer): void {
    const link: AuditLine = JSON.parse(line.toString('utf8'))
    const fault = chainFault({ sequence: this.count - 1, hash: this.lastHash }, link)
    if (fault === 'place') this.fail('does not follow the entry before')
    if (fault === 'hash') this.fail('does not have its hash')
    this.lastHash = link.hash
  }
}
