/**
 * A self-signed certificate (RFC 5280) for a few exact names, written by hand because Node reads certificates and makes none. It is no
 * authority: who trusts it trusts it for these names and can be shown nothing else by its key.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface MadeCertificate {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS #8. */
  readonly key: string
}

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const BOOLEAN_TRUE = Buffer.from('0101ff', 'hex')
const VERSION_3 = Buffer.from('a003020102', 'hex')
/** `dNSName` of a GeneralName, and the names of the fields of an AuthorityKeyIdentifier and of a certificate. */
const CONTEXT_0 = 0x80
const DNS_NAME = 0x82
const EXTENSIONS = 0xa3
/** Object identifiers, encoded. */
const OID = {
  ecdsaWithSha256: '06082a8648ce3d040302',
  commonName: '0603550403',
  subjectKeyIdentifier: '0603551d0e',
  keyUsage: '0603551d0f',
  subjectAltName: '0603551d11',
  basicConstraints: '0603551d13',
  authorityKeyIdentifier: '0603551d23',
  extendedKeyUsage: '0603551d25',
  serverAuth: '06082b06010505070301',
}
const DIGITAL_SIGNATURE = Buffer.from('03020780', 'hex')
const SERIAL_BYTES = 16

/** One element of DER (X.690, section 8.1). */
function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

const oid = (name: keyof typeof OID): Buffer => Buffer.from(OID[name], 'hex')

/** `YYMMDDHHMMSSZ`; right until 2049. */
const utcTime = (date: Date): Buffer =>
  element(UTC_TIME, Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))

const extension = (name: keyof typeof OID, critical: boolean, value: Buffer): Buffer =>
  element(SEQUENCE, oid(name), ...(critical ? [BOOLEAN_TRUE] : []), element(OCTET_STRING, value))

/** Makes a key and a certificate for DNS names, valid from an hour before `now` for so many days. */
export function makeCertificate(names: readonly string[], days: number, now = Date.now()): MadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = element(SEQUENCE, oid('ecdsaWithSha256'))
  const name = element(
    SEQUENCE,
    element(
      SET,
      element(SEQUENCE, oid('commonName'), element(UTF8_STRING, Buffer.from('Sallyport researcher proxy'))),
    ),
  )
  const serial = randomBytes(SERIAL_BYTES)
  // Positive, and without a zero in front.
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f)
  const signed = element(
    SEQUENCE,
    VERSION_3,
    element(INTEGER, serial),
    algorithm,
    name,
    element(SEQUENCE, utcTime(new Date(now - HOUR_MS)), utcTime(new Date(now + days * 24 * HOUR_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(EXTENSIONS, element(SEQUENCE, ...extensionsOf(names, publicKey))),
  )
  const signature = element(BIT_STRING, Buffer.from([0]), sign('sha256', signed, privateKey))
  const base64 = element(SEQUENCE, signed, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g)?.join('\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
const HOUR_MS = 3_600_000

function extensionsOf(names: readonly string[], publicKey: KeyObject): Buffer[] {
  const keyId = createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
  const alternatives = names.map((name) => element(DNS_NAME, Buffer.from(name, 'latin1')))
  return [
    extension('basicConstraints', true, element(SEQUENCE)),
    extension('keyUsage', true, DIGITAL_SIGNATURE),
    extension('extendedKeyUsage', false, element(SEQUENCE, oid('serverAuth'))),
    extension('subjectAltName', false, element(SEQUENCE, ...alternatives)),
    extension('subjectKeyIdentifier', false, element(OCTET_STRING, keyId)),
    extension('authorityKeyIdentifier', false, element(SEQUENCE, element(CONTEXT_0, keyId))),
  ]
}
