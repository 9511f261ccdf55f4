/** Self-signed certificates in folders that go with their test. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Makes `file.crt` and `file.key` for a name. */
export function makeCertificate(folder: string, file: string, name: string): void {
  const names = `subjectAltName=${/^[\d.]+$/.test(name) ? 'IP' : 'DNS'}:${name}`
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-addext', names],
      ...['-keyout', join(folder, `${file}.key`), '-out', join(folder, `${file}.crt`)],
    ],
    { stdio: 'ignore' },
  )
}
