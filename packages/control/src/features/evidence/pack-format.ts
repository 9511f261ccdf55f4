/**
 * What an evidence pack is: a tar archive of these files, in this order.
 *
 * `manifest.json` holds the size and SHA-256 of every other file and the two ends of each chain; `manifest.sig` is the
 * Ed25519 signature over its bytes. The archive's own headers are fixed, so that the archive is a function of its
 * contents and any changed byte of it shows.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ChainLink } from '../../audit/chain.ts'

/** Of a site alone. */
export const PACK_FORMAT = 'sallyport-evidence/2'
/** Of a site within a project, with the checks of that. */
export const PROJECT_PACK_FORMAT = 'sallyport-evidence/3'

const PACK_FILES = [
  'README.txt',
  'site.json',
  'access.json',
  'audit.ndjson',
  'firewall.json',
  'coverage.json',
  'project.json',
  'traffic.ndjson',
] as const
type PackFile = (typeof PACK_FILES)[number]
const without = (...left: readonly PackFile[]): readonly PackFile[] =>
  PACK_FILES.filter((name) => !left.includes(name))

/** The files of each format there has been: packs of before are checked as they were written. */
export const FILES_OF_FORMAT = {
  'sallyport-evidence/1': without('coverage.json', 'project.json'),
  [PACK_FORMAT]: without('project.json'),
  [PROJECT_PACK_FORMAT]: PACK_FILES,
} as const satisfies Readonly<Record<string, readonly string[]>>
export const MANIFEST_FILE = 'manifest.json'
export const SIGNATURE_FILE = 'manifest.sig'

/** What stands for the hash of the line before the first. */
export const NO_HASH = '0'.repeat(64)

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const hash = z.string().regex(/^[0-9a-f]{64}$/)

export const packManifest = z.strictObject({
  format: z.enum(['sallyport-evidence/1', PACK_FORMAT, PROJECT_PACK_FORMAT]),
  createdAt: z.iso.datetime(),
  organization: z.strictObject({ id: z.string(), name: z.string() }),
  site: z.strictObject({ id: z.string(), gatedName: z.string(), originName: z.string() }),
  /** Of the format that has `project.json`, and of no other. */
  project: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  window: z.strictObject({ gte: z.iso.datetime(), lte: z.iso.datetime() }),
  files: z.array(z.strictObject({ name: z.enum(PACK_FILES), bytes: z.int().min(0), sha256: hash })),
  traffic: z.strictObject({ events: z.int().min(0), lastHash: hash }),
  audit: z.strictObject({ entries: z.int().min(0), lastHash: z.string().regex(/^([0-9a-f]{64})?$/) }),
  publicKey: z.string().max(1_000),
})
export type PackManifest = z.infer<typeof packManifest>

/** A line of `traffic.ndjson`; `previous` is the SHA-256 of the whole line before it. */
export interface TrafficLine {
  readonly previous: string
  readonly event: unknown
}

/**
 * A line of `audit.ndjson`: a link of the chain. The text of its entry is null where the entry is not about the site: its hash
 * keeps the chain whole without telling what it says.
 */
export type AuditLine = Required<ChainLink>

/** The header of every file of the archive. */
export const fileHeader = (name: string, size: number) => ({
  name,
  size,
  mode: 0o644,
  mtime: new Date(0),
  uid: 0,
  gid: 0,
  type: 'file' as const,
})
