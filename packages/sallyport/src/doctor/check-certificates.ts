/** Certificates of the gate: pairs of files, expiry, names. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gateUrl } from '../roles/control.ts'
import type { Settings } from '../settings.ts'
import { type Finding, failed, ok, reasonOf, skipped, warning } from './finding.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Whether something that expires then should be renewed. */
export function describeExpiry(check: string, expiresAt: number, now = Date.now()): Finding {
  const days = Math.floor((expiresAt - now) / DAY_MS)
  const day = new Date(expiresAt).toISOString().slice(0, 10)
  if (expiresAt <= now) return failed(check, `expired on ${day}`, 'renew it')
  if (days < SOON_DAYS) return warning(check, `expires on ${day}, in ${days} days`, 'renew it')
  return ok(check, `valid until ${day}`)
}

/** Checks the folder of certificates, and that the gate's names are covered. */
export function checkCertificates(settings: Settings): Finding[] {
  const { tlsDir, gateDomain } = settings
  if (tlsDir === undefined) return [skipped('certificates', 'SALLYPORT_TLS_DIR is not set: no HTTPS here')]
  try {
    const names = readdirSync(tlsDir).filter((file) => file.endsWith('.crt'))
    const read = names.map((file) => readPair(tlsDir, file.slice(0, -'.crt'.length)))
    const certificates = read.flatMap(({ certificate }) => certificate ?? [])
    const wanted = [`any-site.${gateDomain}`, new URL(gateUrl(settings)).hostname]
    const missing = wanted.filter((name) => !certificates.some((one) => one.checkHost(name) !== undefined))
    const advice = `put a pair for *.${gateDomain} and the gate's own host into ${tlsDir}, as <name>.crt and <name>.key`
    return [
      ...read.map(({ finding }) => finding),
      ...missing.map((name) =>
        failed(`name ${name.replace(/^any-site/, '*')}`, 'no certificate covers it', advice),
      ),
    ]
  } catch (error) {
    return [failed('certificates', reasonOf(error), `make ${tlsDir} readable for who runs the gateway`)]
  }
}

interface ReadPair {
  readonly finding: Finding
  readonly certificate?: X509Certificate
}

function readPair(directory: string, name: string): ReadPair {
  const check = `certificate ${name}`
  const keyFile = join(directory, `${name}.key`)
  const wrong = (what: string, remedy: string): ReadPair => ({ finding: failed(check, what, remedy) })
  try {
    if (!existsSync(keyFile))
      return wrong(`there is no ${keyFile}`, 'put its key there; without it the pair is passed over')
    const certificate = new X509Certificate(readFileSync(join(directory, `${name}.crt`)))
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))))
      return wrong('the key is of another certificate', 'put the key there that belongs to it')
    return { finding: describeExpiry(check, Date.parse(certificate.validTo)), certificate }
  } catch (error) {
    return wrong(reasonOf(error), 'both files must be PEM, and readable for who runs the gateway')
  }
}
