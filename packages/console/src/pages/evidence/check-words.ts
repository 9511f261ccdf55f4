/** What is said of a checked pack. */
import type { PackCheck, PackVerification } from '@sallyport/evidence-pack'

const CHECKED: Partial<Record<PackCheck['name'], string>> = {
  archive: 'The archive holds the files of its format, in order, and not one byte more',
  manifest: 'The manifest can be read, and says what the pack is about',
  signature: 'The Ed25519 signature is that of the manifest',
  key: 'The key that signed is the one that is expected',
  'traffic chain': 'Each request follows the one before, up to the end that was signed',
  'audit chain': 'Each audit entry follows the one before, up to the end that was signed',
}

/** What a check looked at. */
export const checkedWords = ({ name }: PackCheck): string =>
  CHECKED[name] ?? `${name} has the size and SHA-256 that were signed`

export interface PackVerdict {
  readonly tone: 'good' | 'bad' | 'warn'
  readonly title: string
  readonly detail: string
}

/** In one sentence, whether the pack may be relied on; `ownKey` is this installation's, empty where it is not known. */
export function verdictOf(pack: PackVerification, ownKey: string): PackVerdict {
  const failed = pack.checks.filter(({ state }) => state === 'failed')
  if (failed.length > 0) {
    const isByAnother = failed.length === 1 && failed[0]?.name === 'key'
    return {
      tone: 'bad',
      title: isByAnother ? 'Signed by another key' : 'Do not rely on this pack',
      detail: isByAnother
        ? 'No changes since it was signed, but not by the key that is expected: whoever made it may have signed it, too.'
        : `${failed.length} of ${pack.checks.length} checks failed.`,
    }
  }
  if (pack.checks.some(({ name, state }) => name === 'key' && state === 'skipped'))
    return {
      tone: 'warn',
      title: 'Not changed, but by whom it was signed is not known',
      detail: 'Compare the fingerprint with what the operator of the installation says.',
    }
  return {
    tone: 'good',
    title: 'Not changed since it was signed',
    detail:
      pack.fingerprint === ownKey ? 'Signed by this installation.' : 'Signed by the key that you expect.',
  }
}
