/**
 * Checks an evidence pack, offline: that its manifest is signed, that every file is the one that the manifest names, that
 * both chains are whole, and that the archive holds nothing else and not one byte that its contents do not explain.
 */

import { AuditChain, type LineChain, TrafficChain } from './line-chain.ts'
import { type PackCheck, type PackCheckName, PackFindings } from './pack-findings.ts'
import {
  FILES_OF_FORMAT,
  MANIFEST_FILE,
  PACK_FORMAT,
  type PackManifest,
  PROJECT_PACK_FORMAT,
  packManifest,
  SIGNATURE_FILE,
} from './pack-format.ts'
import { type ReadFile, readArchive } from './read-archive.ts'
import type { StartSha256 } from './sha256.ts'
import { fingerprintOf, publicKeyOf, verifySignature } from './signature.ts'

export interface PackVerification {
  /** True where nothing was changed since the key signed it and, if a fingerprint was given, that key is the one. */
  readonly isIntact: boolean
  /** Everything that was checked, in order. */
  readonly checks: readonly PackCheck[]
  /** What is wrong, in sentences: of all checks. */
  readonly problems: readonly string[]
  /** Of the key that signed; compare it with what the operator says. Empty where there is none. */
  readonly fingerprint: string
  /** Null where it cannot be read. */
  readonly manifest: PackManifest | null
}

export interface PackVerificationOptions {
  readonly sha256: StartSha256
  /** Of the key that must have signed it; without it any key will do, and the answer names it. */
  readonly expectedFingerprint?: string | undefined
}

/** Memory does not grow with the pack. `archive` has its bytes in pieces of any size. */
export async function verifyPack(
  archive: AsyncIterable<Uint8Array>,
  { sha256: start, expectedFingerprint }: PackVerificationOptions,
): Promise<PackVerification> {
  const findings = new PackFindings()
  const traffic = new TrafficChain(start, (fault) =>
    findings.note('traffic chain', `traffic.ndjson, ${fault}`),
  )
  const audit = new AuditChain(start, (fault) => findings.note('audit chain', `audit.ndjson, ${fault}`))
  const chains = new Map<string, LineChain>([
    ['traffic.ndjson', traffic],
    ['audit.ndjson', audit],
  ])
  const files = await readArchive(archive, {
    start,
    findings,
    chainOf: (name) => chains.get(name),
  })
  const manifest = readManifest(files, findings)
  const fingerprint = manifest ? await checkSignature(start, files, manifest, findings) : ''
  if (manifest) checkContents(files, manifest, findings, { traffic, audit })
  if (expectedFingerprint)
    findings.note(
      'key',
      fingerprint === expectedFingerprint
        ? undefined
        : `signed by ${fingerprint || 'nobody'}, not by ${expectedFingerprint}`,
    )
  const checks = findings.of(namesOf(manifest))
  const problems = checks.flatMap((check) => check.problems)
  return { isIntact: problems.length === 0, checks, problems, fingerprint, manifest }
}

/** What is checked of a pack of this format; of what cannot be read, the newest. */
function namesOf(manifest: PackManifest | null): readonly PackCheckName[] {
  const files = FILES_OF_FORMAT[manifest?.format ?? PACK_FORMAT]
  return ['archive', 'manifest', 'signature', 'key', ...files, 'traffic chain', 'audit chain']
}

function readManifest(files: readonly ReadFile[], findings: PackFindings): PackManifest | null {
  const file = files.find(({ name }) => name === MANIFEST_FILE)
  if (!file) {
    findings.note('manifest', 'there is no manifest')
    return null
  }
  try {
    const manifest = packManifest.parse(JSON.parse(new TextDecoder().decode(file.content)))
    const isOfProject = manifest.format === PROJECT_PACK_FORMAT
    findings.note(
      'manifest',
      (manifest.project !== undefined) === isOfProject
        ? undefined
        : 'the manifest does not name the project that its format is about',
    )
    return manifest
  } catch {
    findings.note('manifest', 'the manifest is not one')
    return null
  }
}

const SIGNATURE_PROBLEMS = {
  signed: undefined,
  'not signed': 'the signature does not fit the manifest',
  'no key': 'the manifest holds no usable key',
  'not supported': 'Ed25519 signatures cannot be checked here; use another browser, or the command',
} as const

/** Returns the fingerprint of the key in the manifest. */
async function checkSignature(
  start: StartSha256,
  files: readonly ReadFile[],
  manifest: PackManifest,
  findings: PackFindings,
): Promise<string> {
  const contentOf = (wanted: string) =>
    files.find(({ name }) => name === wanted)?.content ?? new Uint8Array(0)
  const publicKey = publicKeyOf(manifest.publicKey)
  if (!publicKey) {
    findings.note('signature', SIGNATURE_PROBLEMS['no key'])
    return ''
  }
  const signature = new TextDecoder('latin1').decode(contentOf(SIGNATURE_FILE))
  const verdict = await verifySignature(contentOf(MANIFEST_FILE), signature, publicKey)
  findings.note('signature', SIGNATURE_PROBLEMS[verdict])
  return verdict === 'no key' ? '' : fingerprintOf(start, publicKey)
}

function checkContents(
  files: readonly ReadFile[],
  manifest: PackManifest,
  findings: PackFindings,
  { traffic, audit }: { readonly traffic: LineChain; readonly audit: LineChain },
): void {
  const written = FILES_OF_FORMAT[manifest.format]
  const expected = [...written, MANIFEST_FILE, SIGNATURE_FILE].join(', ')
  const held = files.map(({ name }) => name).join(', ')
  if (held !== expected) findings.note('archive', `the archive holds ${held} instead of ${expected}`)
  for (const name of written) {
    const file = files.find((candidate) => candidate.name === name)
    const named = manifest.files.find((candidate) => candidate.name === name)
    const isSame = file && named && file.sha256 === named.sha256 && file.bytes === named.bytes
    findings.note(name, isSame ? undefined : `${name} is not the file that was signed`)
  }
  const isTrafficWhole =
    traffic.lines === manifest.traffic.events && traffic.lastHash === manifest.traffic.lastHash
  findings.note(
    'traffic chain',
    isTrafficWhole ? undefined : 'the chain of the traffic does not end where the manifest says',
  )
  const isAuditWhole = audit.lines === manifest.audit.entries && audit.lastHash === manifest.audit.lastHash
  findings.note(
    'audit chain',
    isAuditWhole ? undefined : 'the chain of the audit log does not end where the manifest says',
  )
}
