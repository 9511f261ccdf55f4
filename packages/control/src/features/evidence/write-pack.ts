/** Writes an evidence pack. The traffic goes through a temporary file, because an archive says sizes first. */
import { createHash, sign } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuditLine, PackManifest, TrafficLine } from '@sallyport/evidence-pack'
import {
  fileHeader,
  MANIFEST_FILE,
  NO_HASH,
  PACK_FORMAT,
  PROJECT_PACK_FORMAT,
  SIGNATURE_FILE,
} from '@sallyport/evidence-pack'
import { type Pack, pack } from 'tar-stream'
import type { EvidenceKey } from './evidence-key.ts'

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')

/** Everything that goes into a pack but its traffic. */
export interface PackContent {
  readonly organization: PackManifest['organization']
  readonly site: PackManifest['site']
  /** The project that the pack is about, with its checks. */
  readonly project?: { readonly id: string; readonly name: string; readonly document: unknown } | undefined
  readonly window: PackManifest['window']
  readonly siteDocument: unknown
  readonly accessDocument: unknown
  readonly firewallDocument: unknown
  readonly coverageDocument: unknown
  readonly audit: readonly AuditLine[]
}

/** Something was stored in the window while the pack was made, so its parts would not agree. */
export class RecordGrew extends Error {}

/**
 * Writes the traffic down first, then returns the archive as a stream. The temporary file goes with the stream, or with the process. Throws
 * `RecordGrew` where `isStillTrue`, asked in between, says no of the content.
 */
export async function writePack(
  content: PackContent,
  traffic: AsyncIterable<readonly unknown[]>,
  isStillTrue: () => Promise<boolean>,
  key: EvidenceKey,
): Promise<Readable> {
  const file = await openUnnamed()
  try {
    const chain = await spoolTraffic(traffic, file)
    if (!(await isStillTrue())) throw new RecordGrew()
    const archive = pack()
    archive.once('close', () => void file.close().catch(() => undefined))
    fill(archive, content, file, chain, key).catch((error: Error) => archive.destroy(error))
    return Readable.from(archive, { objectMode: false })
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A temporary file that has no name any more: nothing of the traffic stays on the disk, however this process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-evidence-'))
  try {
    return await open(join(folder, 'traffic.ndjson'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Chain {
  readonly events: number
  readonly lastHash: string
  readonly bytes: number
  readonly sha256: string
}

async function spoolTraffic(pages: AsyncIterable<readonly unknown[]>, file: FileHandle): Promise<Chain> {
  let previous = NO_HASH
  let events = 0
  let bytes = 0
  const whole = createHash('sha256')
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const page of pages) {
      const texts = page.map((event) => {
        const line = JSON.stringify({ previous, event } satisfies TrafficLine)
        previous = sha256(line)
        return `${line}\n`
      })
      const chunk = Buffer.from(texts.join(''))
      events += page.length
      bytes += chunk.length
      whole.update(chunk)
      yield chunk
    }
  }
  await file.writeFile(lines())
  return { events, lastHash: previous, bytes, sha256: whole.digest('hex') }
}

async function fill(
  archive: Pack,
  content: PackContent,
  trafficFile: FileHandle,
  chain: Chain,
  key: EvidenceKey,
): Promise<void> {
  const texts: [PackManifest['files'][number]['name'], string][] = [
    ['README.txt', README],
    ['site.json', document(content.siteDocument)],
    ['access.json', document(content.accessDocument)],
    ['audit.ndjson', content.audit.map((line) => `${JSON.stringify(line)}\n`).join('')],
    ['firewall.json', document(content.firewallDocument)],
    ['coverage.json', document(content.coverageDocument)],
  ]
  const { project } = content
  if (project) texts.push(['project.json', document(project.document)])
  const manifest: PackManifest = {
    format: project ? PROJECT_PACK_FORMAT : PACK_FORMAT,
    createdAt: new Date().toISOString(),
    organization: content.organization,
    site: content.site,
    ...(project && { project: { id: project.id, name: project.name } }),
    window: content.window,
    files: [
      ...texts.map(([name, text]) => ({ name, bytes: Buffer.byteLength(text), sha256: sha256(text) })),
      { name: 'traffic.ndjson', bytes: chain.bytes, sha256: chain.sha256 },
    ],
    traffic: { events: chain.events, lastHash: chain.lastHash },
    audit: { entries: content.audit.length, lastHash: content.audit.at(-1)?.hash ?? '' },
    publicKey: key.publicKeyPem,
  }
  const manifestText = document(manifest)
  for (const [name, text] of texts) await addText(archive, name, text)
  const traffic = trafficFile.createReadStream({ start: 0 })
  await pipeline(traffic, archive.entry(fileHeader('traffic.ndjson', chain.bytes)))
  await addText(archive, MANIFEST_FILE, manifestText)
  await addText(
    archive,
    SIGNATURE_FILE,
    sign(null, Buffer.from(manifestText), key.privateKey).toString('base64'),
  )
  archive.finalize()
}

const document = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const addText = (archive: Pack, name: string, text: string): Promise<void> =>
  new Promise((added, failed) => {
    archive.entry(fileHeader(name, Buffer.byteLength(text)), text, (error) =>
      error ? failed(error) : added(),
    )
  })

const README = `Evidence of the traffic of one protected site, and of who could reach it.

site.json       the configuration of the site when this pack was made
access.json     the researchers whom the site admitted then, and those in the traffic
audit.ndjson    every change of the configuration up to the end of the window, each chained to the one before by its
                hash; entries about other things of the organization are there with their hash only
firewall.json   firewall rules, block rules and rate limits that matched in the window
coverage.json   operations of the API definition by class of attack and parameter: what was tried, by whom, and what became of it;
                what has no cell was never tried. Objects that several researchers reached
project.json    in the pack of a project: its items, how far each has come, and what of coverage.json is theirs
traffic.ndjson  every request of the window; each line holds the SHA-256 of the line before.
                Where there were very many refusals of strangers, a line says how many it stands for (requestCount)
manifest.json   sizes and SHA-256 of these files, and the ends of both chains
manifest.sig    Ed25519 signature of manifest.json, base64

To check it, offline:  sallyport evidence verify <this file> --key <fingerprint>
The fingerprint of the installation's key is told by its operator, and by /.well-known/sallyport/evidence-key.
`
