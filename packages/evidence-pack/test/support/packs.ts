/** Packs that are made for tests, by another tar than the one that reads them. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { pack } from 'tar-stream'
import {
  FILES_OF_FORMAT,
  fileHeader,
  NO_HASH,
  type PackVerification,
  PROJECT_PACK_FORMAT,
  type StartSha256,
  verifyPack,
} from '../../src/index.ts'

export const start: StartSha256 = () => {
  const hash = createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
}
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
/** A key to sign by, as a pack has it and as people compare it. */
function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const der = publicKey.export({ format: 'der', type: 'spki' })
  return {
    privateKey,
    publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    fingerprint: `sha256:${createHash('sha256').update(der).digest('hex')}`,
  }
}
export const OWN_KEY = makeKey()
export const OTHER_KEY = makeKey()
export const { publicKeyPem, fingerprint } = OWN_KEY

/** A pack's files, signed; `change` may change its manifest before. */
export function files(
  change: (manifest: Record<string, unknown>) => void = () => undefined,
  key = OWN_KEY,
): Map<string, string> {
  const events = ['one', 'two', 'thrée']
  let previous = NO_HASH
  const traffic = events.map((event) => {
    const line = JSON.stringify({ previous, event })
    previous = sha256(line)
    return `${line}\n`
  })
  const entry = '{"action":"site.create"}'
  const hash = sha256(entry)
  const audit = `${JSON.stringify({ sequence: 1, previous: '', hash, entry })}\n`
  const made = new Map<string, string>(
    FILES_OF_FORMAT[PROJECT_PACK_FORMAT].map((name) => [name, `${name} as it was\n`]),
  )
  made.set('traffic.ndjson', traffic.join('')).set('audit.ndjson', audit)
  const manifest: Record<string, unknown> = {
    format: PROJECT_PACK_FORMAT,
    createdAt: '2026-11-24T00:00:00.000Z',
    organization: { id: 'org', name: 'Shop' },
    site: { id: 'site', gatedName: 'shop.gate.example', originName: 'https://shop.example' },
    project: { id: 'project', name: 'Winter' },
    window: { gte: '2026-11-23T00:00:00.000Z', lte: '2026-11-24T00:00:00.000Z' },
    files: [...made].map(([name, text]) => ({ name, bytes: Buffer.byteLength(text), sha256: sha256(text) })),
    traffic: { events: events.length, lastHash: previous },
    audit: { entries: 1, lastHash: hash },
    publicKey: key.publicKeyPem,
  }
  change(manifest)
  const text = JSON.stringify(manifest)
  return made
    .set('manifest.json', text)
    .set('manifest.sig', sign(null, Buffer.from(text), key.privateKey).toString('base64'))
}

/** Written by another tar than the one that reads. */
export async function archiveOf(held: Iterable<readonly [name: string, text: string]>): Promise<Buffer> {
  const archive = pack()
  for (const [name, text] of held) archive.entry(fileHeader(name, Buffer.byteLength(text)), text)
  archive.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export const check = (
  bytes: Uint8Array,
  expectedFingerprint = fingerprint,
  size = 65_536,
): Promise<PackVerification> => verifyPack(inPieces(bytes, size), { sha256: start, expectedFingerprint })
