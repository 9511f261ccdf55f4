import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { findUnknownVariables, readConfig } from '../src/config.ts'
import { gatewayPorts } from '../src/ports.ts'

const folder = temporaryFolder({ after })
const base = { SALLYPORT_DATA_DIR: folder }

function yaml(text: string): string {
  const file = join(folder, 'given.yaml')
  writeFileSync(file, text)
  return file
}

test('defaults are those of the documentation, and the result is frozen', async () => {
  const settings = await readConfig(base)
  assert.equal(settings.controlPort, 7070)
  assert.equal(settings.gatewayPort, 7080)
  assert.equal(settings.gatewayAdminPort, 7081)
  assert.equal(settings.gateDomain, 'gate.localhost')
  assert.equal(settings.oidcOrganizationClaim, 'org_id')
  assert.deepEqual(settings.allowPrivateOrigins, [])
  assert.ok(Object.isFrozen(settings))
})

test('the environment wins over the file, and an empty variable counts as absent', async () => {
  const file = yaml('controlPort: 8001\ngatewayPort: 8002\nallowPrivateOrigins: [127.0.0.0/8, "::1/128"]\n')
  const settings = await readConfig(
    { ...base, SALLYPORT_CONTROL_PORT: '9001', SALLYPORT_GATEWAY_PORT: '' },
    file,
  )
  assert.equal(settings.controlPort, 9001)
  assert.equal(settings.gatewayPort, 8002)
  assert.deepEqual(settings.allowPrivateOrigins, ['127.0.0.0/8', '::1/128'])
})

test('sallyport.yaml in the data directory is read without being named', async () => {
  writeFileSync(join(folder, 'sallyport.yaml'), 'gateDomain: Gate.Example.COM\n')
  assert.equal((await readConfig(base)).gateDomain, 'gate.example.com')
  rmSync(join(folder, 'sallyport.yaml'))
})

test('every mistake is one line that names the setting and what was given', async () => {
  const environment = {
    ...base,
    SALLYPORT_CONTROL_PORT: 'seventy',
    SALLYPORT_ALLOW_PRIVATE_ORIGINS: '10.0.0.0/8, lan',
    DATABASE_URL: 'mysql://root:hunter2hunter2@db/x',
    SALLYPORT_LOG_LEVEL: 'loud',
  }
  const failure = await readConfig(environment).then(
    () => assert.fail('it was taken'),
    (error: Error) => error,
  )
  const lines = failure.message.split('\n')
  assert.equal(lines.length, 4)
  for (const name of Object.keys(environment).slice(1))
    assert.equal(lines.filter((line) => line.startsWith(`${name}: `)).length, 1, name)
  assert.doesNotMatch(failure.message, /hunter2/, 'a secret is never repeated')
})

test('white space is no number, a URL has its slashes, and what is appended to has no query', async () => {
  for (const given of [' ', '\t', 'NaN', 'Infinity', '-1', '1.5', '1e9', '1\n2'])
    for (const variable of ['SALLYPORT_CONTROL_PORT', 'SALLYPORT_DRAIN_TIMEOUT_SECONDS'])
      await assert.rejects(
        readConfig({ ...base, [variable]: given }),
        new RegExp(`^OperatorError: ${variable}: `),
      )
  for (const given of ['true', '[]', '" "'])
    await assert.rejects(readConfig(base, yaml(`controlPort: ${given}\n`)), /^OperatorError: controlPort in /)
  await assert.rejects(readConfig({ ...base, SALLYPORT_TRACES_PART: ' ' }), /SALLYPORT_TRACES_PART/)
  for (const [variable, given] of [
    ['SALLYPORT_PUBLIC_URL', 'http:x'],
    ['SALLYPORT_PUBLIC_URL', 'https://user:hunter2@host'],
    ['SALLYPORT_PUBLIC_URL', 'https://host/?a=b'],
    ['SALLYPORT_GATEWAY_PUBLIC_URL', 'https://host#a'],
    ['SALLYPORT_CONTROL_URL', 'https://one,https://user:hunter2@two'],
    ['CLICKHOUSE_URL', 'http://user:hunter2@host/?wait_end_of_query=1'],
    ['VALKEY_URL', 'redis:x'],
    ['OIDC_ISSUER', 'https:x'],
    ['SALLYPORT_CONTROL_HOST', '127.0.0.1\nlocalhost'],
    ['SALLYPORT_PUBLIC_URL', 'http://ho\nst'],
  ] as const)
    await assert.rejects(readConfig({ ...base, [variable]: given }), ({ message }: Error) => {
      assert.match(message, new RegExp(`^${variable}: must .*$`), given)
      return !message.includes('hunter2')
    })
})

test('algorithms are those that tokens may be signed with', async () => {
  for (const OIDC_ALGORITHMS of ['HS256', 'none', 'rs256', 'RS256,HS256', ','])
    await assert.rejects(readConfig({ ...base, OIDC_ALGORITHMS }), /^OperatorError: OIDC_ALGORITHMS: /)
  const { oidcAlgorithms } = await readConfig({ ...base, OIDC_ALGORITHMS: 'ES384, Ed25519' })
  assert.deepEqual(oidcAlgorithms, ['ES384', 'Ed25519'])
})

test('a variable of ours that is no setting is told, and links to services are not', async () => {
  const links = {
    SALLYPORT_SERVICE_HOST: '10.0.0.1',
    SALLYPORT_SERVICE_PORT: '7070',
    SALLYPORT_SERVICE_PORT_HTTP: '7070',
    SALLYPORT_PORT: 'tcp://10.0.0.1:7070',
    SALLYPORT_PORT_7070_TCP: 'tcp://10.0.0.1:7070',
    SALLYPORT_PORT_7070_TCP_PROTO: 'tcp',
    SALLYPORT_PORT_7070_TCP_PORT: '7070',
    SALLYPORT_PORT_7070_TCP_ADDR: '10.0.0.1',
    SALLYPORT_CONTROL_SERVICE_HOST: '10.0.0.2',
  }
  const known = { ...base, SALLYPORT_API_KEY: 'a', SALLYPORT_URL: 'b', OTHER: 'c' }
  assert.deepEqual(findUnknownVariables({ ...links, ...known }), [])
  const service = { ...base, SALLYPORT_CONTROL_PORT: 'tcp://10.0.0.1:7070' }
  assert.equal((await readConfig(service)).controlPort, 7070, 'a service that is called sallyport-control')
  const misspelt = { SALLYPORT_DATADIR: '/data', SALLYPORT_PORT: '7070' }
  assert.deepEqual(findUnknownVariables({ ...known, ...misspelt }), ['SALLYPORT_DATADIR', 'SALLYPORT_PORT'])
})

test('an unknown name in the file, a broken file and a missing one are refused', async () => {
  await assert.rejects(readConfig(base, yaml('controlport: 1\n')), /no setting named controlport/)
  await assert.rejects(readConfig(base, yaml('a: [\n')), /cannot be read/)
  await assert.rejects(readConfig(base, yaml('- 1\n')), /cannot be read/)
  await assert.rejects(readConfig(base, join(folder, 'none.yaml')), /cannot be read/)
})

test('a secret key is 32 bytes, in hex or base64', async () => {
  const key = Buffer.alloc(32, 7)
  for (const encoding of ['hex', 'base64'] as const) {
    const settings = await readConfig({ ...base, SALLYPORT_SECRET_KEY: key.toString(encoding) })
    assert.deepEqual(settings.secretKey, key)
  }
  await assert.rejects(readConfig({ ...base, SALLYPORT_SECRET_KEY: 'c2hvcnQ=' }), /32 bytes/)
})

test('an issuer needs an audience', async () => {
  await assert.rejects(readConfig({ ...base, OIDC_ISSUER: 'https://id.example.com' }), /OIDC_AUDIENCE/)
})

test('mail needs a server and a sender, and webhooks are narrowed by names', async () => {
  const SALLYPORT_SMTP_URL = 'smtp://mail.example.com:587'
  await assert.rejects(readConfig({ ...base, SALLYPORT_SMTP_URL }), /SALLYPORT_SMTP_FROM/)
  await assert.rejects(readConfig({ ...base, SALLYPORT_SMTP_FROM: 'a@example.com' }), /SALLYPORT_SMTP_FROM/)
  const hosts = { SALLYPORT_WEBHOOK_HOSTS: 'hooks.example.com, *.chat.example' }
  const settings = await readConfig({
    ...{ ...base, ...hosts, SALLYPORT_SMTP_URL },
    SALLYPORT_SMTP_FROM: 'a@example.com',
  })
  assert.deepEqual(settings.webhookHosts, ['hooks.example.com', '*.chat.example'])
  for (const host of ['*', '*.', 'a.*.example', 'https://example.com'])
    await assert.rejects(readConfig({ ...base, SALLYPORT_WEBHOOK_HOSTS: host }), /SALLYPORT_WEBHOOK_HOSTS/)
})

test('a proxy port needs certificates, or keys would go in the clear', async () => {
  const given = { ...base, SALLYPORT_PROXY_PORT: '8443' }
  await assert.rejects(readConfig(given), /SALLYPORT_TLS_DIR: must be set with SALLYPORT_PROXY_PORT/)
  const settings = await readConfig({ ...given, SALLYPORT_TLS_DIR: '/certificates' })
  assert.deepEqual(gatewayPorts(settings), ['gatewayPort', 'gatewayAdminPort', 'tlsPort', 'proxyPort'])
  assert.deepEqual(gatewayPorts(await readConfig(base)), ['gatewayPort', 'gatewayAdminPort'])
})

test("the gate's own host is not the control plane's", async () => {
  const given = {
    ...base,
    SALLYPORT_GATE_DOMAIN: 'example.com',
    SALLYPORT_PUBLIC_URL: 'https://sallyport.example.com',
  }
  await assert.rejects(readConfig(given), /SALLYPORT_GATE_HOST: must be set to another host/)
  assert.equal(
    (await readConfig({ ...given, SALLYPORT_GATE_HOST: 'gate.example.com' })).gateHost,
    'gate.example.com',
  )
})

test('a cluster of ClickHouse is named with a node of it', async () => {
  const cluster = { CLICKHOUSE_CLUSTER: 'fleet-1' }
  await assert.rejects(
    readConfig({ ...base, ...cluster }),
    /CLICKHOUSE_URL: must be set with CLICKHOUSE_CLUSTER/,
  )
  const withNode = { ...base, CLICKHOUSE_URL: 'http://node:8123' }
  assert.equal((await readConfig({ ...withNode, ...cluster })).clickhouseCluster, 'fleet-1')
  await assert.rejects(readConfig({ ...withNode, CLICKHOUSE_CLUSTER: "a' b" }), /CLICKHOUSE_CLUSTER: must be/)
})

test('a pooler is named with the database behind it and the owner, and passwords are percent-encoded', async () => {
  const pooled = { DATABASE_URL: 'postgres://a@p/d', DATABASE_DIRECT_URL: 'postgres://a@h/d' }
  await assert.rejects(
    readConfig({ ...base, ...pooled }),
    /DATABASE_OWNER_URL: must be set with DATABASE_DIRECT_URL/,
  )
  const { databaseDirectUrl } = await readConfig({
    ...base,
    ...pooled,
    DATABASE_OWNER_URL: 'postgres://o:p%25%40%2F%C3%A9@h/d',
  })
  assert.equal(databaseDirectUrl, 'postgres://a@h/d')
  for (const [variable, scheme] of [
    ['DATABASE_URL', 'postgres'],
    ['CLICKHOUSE_URL', 'http'],
    ['VALKEY_URL', 'redis'],
  ]) {
    const refused = readConfig({ ...base, [`${variable}`]: `${scheme}://user:hunter%2@host/d` })
    await assert.rejects(refused, (error: Error) => {
      assert.match(
        error.message,
        new RegExp(`^${variable}: must have the user and the password percent-encoded$`),
      )
      assert.ok(!error.message.includes('hunter'))
      return true
    })
  }
})
