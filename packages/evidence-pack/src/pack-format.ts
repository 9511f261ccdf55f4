/**
 * What an evidence pack is: a tar archive of these files, in this order.
 *
 * `manifest.json` holds the size and SHA-256 of every other file and the two ends of each chain; `manifest.sig` is the
 * Ed25519 signature over its bytes. The archive's own headers are fixed, so that the archive is a function of its
 * contents and any changed byte of it shows.
 */
import { z } from 'zod'
import type { ChainLink } from './audit-chain.ts'

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
/** A file that the manifest names. */
export type PackFile = (typeof PACK_FILES)[number]
const without = (...left: readonly PackFile[]): readonly PackFile[] =>
  PACK_FILES.filter((name) => !left.includes(name))

/** The files of each format there has been: packs of before are checked as they were written. */
export const FILES_OF_FORMAT = {
  'sallyport-evidence/1': without('coverage.json', 'project.json'),
  [PACK_FORMAT]: without('project.json'),
  [PROJECT_PACK_FORMAT]: PACK_FILES,
} as const satisfies Readonly<Record<string, readonly PackFile[]>>
export const MANIFEST_FILE = 'manifest.json'
export const SIGNATURE_FILE = 'manifest.sig'

/** What an archive may hold at all. */
export const isPackFile = (name: string): boolean =>
  [...PACK_FILES, MANIFEST_FILE, SIGNATURE_FILE].some((known) => known === name)

/** What stands for the hash of the line before the first. */
export const NO_HASH = '0'.repeat(64)

const hash = z.string().regex(/^[0-9a-f]{64}$/)
/** Names and addresses are shorter by far; this is for what is no pack of ours. */
const name = z.string().max(4_096)

export const packManifest = z.strictObject({
  format: z.enum(['sallyport-evidence/1', PACK_FORMAT, PROJECT_PACK_FORMAT]),
  createdAt: z.iso.datetime(),
  organization: z.strictObject({ id: name, name }),
  site: z.strictObject({ id: name, gatedName: name, originName: name }),
  /** Of the format that has `project.json`, and of no other. */
  project: z.strictObject({ id: name, name }).optional(),
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

/** What the header of every file says of it, in the words of `tar-stream`. */
export const fileHeader = (name: string, size: number) => ({
  name,
  size,
  mode: 0o644,
  mtime: new Date(0),
  uid: 0,
  gid: 0,
  type: 'file' as const,
})
