/** The proxy's certificate in a folder of the researcher's, where tools are pointed to it; used again as long as it fits. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDirectory, writePrivateText } from '../private-file.ts'
import { type MadeCertificate, makeCertificate } from './certificate.ts'

export interface KeptCertificate extends MadeCertificate {
  /** Where the certificate is, without its key. */
  readonly file: string
}

const DAYS = 365
/** Nearer to its end it is made anew. */
const LEFT_MIN_MS = 7 * 24 * 3_600_000

/** The certificate of a folder for these names; another is made where there is none, or none that fits. The key is 0600. */
export function keepCertificate(folder: string, names: readonly string[]): KeptCertificate {
  makePrivateDirectory(folder)
  const file = join(folder, 'proxy.crt')
  const keyFile = join(folder, 'proxy.key')
  const kept = existsSync(file) && existsSync(keyFile) ? readPair(file, keyFile) : null
  if (kept && fits(kept, names)) return { ...kept, file }
  const made = makeCertificate(names, DAYS)
  writePrivateText(keyFile, made.key)
  writePrivateText(file, made.cert)
  return { ...made, file }
}

const readPair = (file: string, keyFile: string): MadeCertificate => ({
  cert: readFileSync(file, 'utf8'),
  key: readFileSync(keyFile, 'utf8'),
})

function fits({ cert, key }: MadeCertificate, names: readonly string[]): boolean {
  try {
    const read = new X509Certificate(cert)
    const said = (read.subjectAltName ?? '').split(', ').sort()
    const wanted = names.map((name) => `DNS:${name}`).sort()
    return (
      read.checkPrivateKey(createPrivateKey(key)) &&
      read.validToDate.getTime() - Date.now() > LEFT_MIN_MS &&
      said.join() === wanted.join()
    )
  } catch {
    return false
  }
}
