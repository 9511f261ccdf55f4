/** Caddy from Debian's package, started for a test with a whole configuration. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment } from '../../support/environment.ts'
import type { Ending } from '../../support/temporary-folder.ts'
import { quiet, replaced, type ShippedPlaces, start, temporaryDirectory } from './programs.ts'

/**
 * What the shipped Caddyfile names, and what stands there in a test: the ports of loopback, and a certificate for the control plane, for
 * which Caddy would ask an authority.
 */
export const caddyPlaces = (places: ShippedPlaces): Readonly<Record<string, string>> => ({
  '127.0.0.1:7070': places.controls,
  '127.0.0.1:7080': places.gateways,
  '\n{\n': `\n{\n\tadmin off\n\tauto_https disable_certs\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttps_port ${places.port}\n\thttp_port ${places.plainPort}\n`,
  'sallyport.example.com {': `${places.controlHost} {\n\ttls ${places.certificates}/sallyport.crt ${places.certificates}/sallyport.key`,
  'gate.example.com': 'gate.localhost',
  '/etc/caddy/tls': places.certificates,
})

/** Caddy on a port of loopback, when it listens: what `caddy validate` said of its configuration, and what it has said itself so far. */
export async function startCaddyWith(
  context: Ending,
  configuration: string,
  replacements: Readonly<Record<string, string>>,
  port: number,
): Promise<{ readonly checked: string; readonly said: () => string }> {
  const directory = temporaryDirectory(context)
  const file = join(directory, 'Caddyfile')
  writeFileSync(file, replaced(configuration, replacements))
  // What it keeps goes there.
  const env = { ...bareEnvironment, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  const given = ['--config', file, '--adapter', 'caddyfile']
  const checked = spawnSync('caddy', ['validate', ...given], { encoding: 'utf8', env })
  assert.equal(checked.status, 0, checked.stderr)
  const child = spawn('caddy', ['run', ...given], { ...quiet(), env })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  // At once: it would wait for connections that are open.
  await start(context, child, port, 'SIGKILL')
  return { checked: checked.stderr, said: () => said }
}
