/** The proxy's certificate: for these names and no more, kept where its owner alone reads its key. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { makeCertificate } from '../../src/researcher-proxy/certificate.ts'
import { keepCertificate } from '../../src/researcher-proxy/kept-certificate.ts'

const NAMES = ['a.gate.example', 'b.gate.example']

test('it is kept, and made anew for other names, near its end, or where it is damaged', (context) => {
  const folder = join(temporaryFolder(context), 'kept')
  const first = keepCertificate(folder, NAMES)
  assert.deepEqual(keepCertificate(folder, [...NAMES].reverse()), first)
  const modes = [folder, first.file, join(folder, 'proxy.key')].map((path) =>
    (statSync(path).mode & 0o777).toString(8),
  )
  assert.deepEqual(modes, ['700', '600', '600'])
  const [, second] = [keepCertificate(folder, ['a.gate.example']), keepCertificate(folder, NAMES)]
  assert.notEqual(second.cert, first.cert)
  const late = makeCertificate(NAMES, 3)
  writeFileSync(join(folder, 'proxy.crt'), late.cert)
  writeFileSync(join(folder, 'proxy.key'), late.key)
  assert.notEqual(keepCertificate(folder, NAMES).cert, late.cert)
  writeFileSync(join(folder, 'proxy.key'), first.key)
  assert.notEqual(keepCertificate(folder, NAMES).key, first.key, 'the key of another')
  writeFileSync(join(folder, 'proxy.crt'), 'damaged')
  assert.match(keepCertificate(folder, NAMES).cert, /^-----BEGIN CERTIFICATE-----/)
})

test('it vouches for its names alone, and is no authority', async (context) => {
  const { cert, key } = makeCertificate(NAMES, 365)
  const read = new X509Certificate(cert)
  assert.deepEqual(
    [read.ca, read.verify(read.publicKey), read.subjectAltName],
    [false, true, 'DNS:a.gate.example, DNS:b.gate.example'],
  )
  const server = createServer({ cert, key }, (socket) => socket.end('hello'))
  const { port } = await listenForTest(context, server)
  const reach = (servername: string) =>
    new Promise<string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', servername, ca: cert }, () =>
        socket.end(() => resolve('reached')),
      )
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      socket.resume()
    })
  assert.equal(await reach('b.gate.example'), 'reached')
  assert.equal(await reach('c.gate.example'), 'ERR_TLS_CERT_ALTNAME_INVALID')
  const folder = temporaryFolder(context)
  const file = join(folder, 'proxy.crt')
  writeFileSync(file, cert)
  assert.match(execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', file, file]).toString(), /: OK/)
  assert.match(readFileSync(file, 'utf8'), /END CERTIFICATE-----\n$/)
})
