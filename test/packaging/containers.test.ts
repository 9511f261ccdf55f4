/** What the image and the compose files promise, as far as it can be read in them. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { SETTINGS } from '../../packages/sallyport/src/settings.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly target: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly read_only?: boolean
  readonly tmpfs?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly healthcheck?: object
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>
}

const readCompose = (path: string): ComposeFile => parse(read(path), { merge: true })
const FILES = ['compose.yaml', 'deploy/compose-fleet.yaml']
const variables = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))

/** The stages of the Dockerfile, each with its own instructions and those of the stages that it begins from. */
const stages = new Map<string, string[]>()
for (const line of read('Dockerfile').replaceAll('\\\n', ' ').split('\n')) {
  const [, from = '', name = ''] = /^FROM (\S+) AS (\S+)$/.exec(line) ?? []
  if (name) stages.set(name, [...(stages.get(from) ?? [])])
  else if (stages.size > 0 && /^[A-Z]+ /.test(line)) [...stages.values()].at(-1)?.push(line)
}
const instructionsOf = (stage: string): string[] => stages.get(stage) ?? assert.fail(`there is no ${stage}`)
const lastOf = (stage: string, instruction: string): string =>
  instructionsOf(stage).findLast((line) => line.startsWith(`${instruction} `)) ?? ''

test('every image runs as an ordinary user, under an init, and says whether it is well', () => {
  for (const stage of ['gateway', 'control', 'sallyport']) {
    assert.equal(lastOf(stage, 'USER'), 'USER 10001:10001')
    assert.equal(lastOf(stage, 'ENTRYPOINT'), 'ENTRYPOINT ["tini", "--", "sallyport"]')
    assert.match(lastOf(stage, 'HEALTHCHECK'), /CMD \["sallyport", "health"/)
    assert.equal(lastOf(stage, 'VOLUME'), 'VOLUME /var/lib/sallyport')
  }
})

test('a gateway and a control plane by URL are made without engines, and no image with development packages', () => {
  const copies = (stage: string): string[] =>
    instructionsOf(stage).filter((line) => line.startsWith('COPY --from=') && !line.includes('/dist '))
  for (const stage of ['gateway', 'control'])
    assert.deepEqual(copies(stage), ['COPY --from=without-engines /opt/sallyport /opt/sallyport'])
  assert.deepEqual(copies('sallyport'), ['COPY --from=with-engines /opt/sallyport /opt/sallyport'])
  assert.match(lastOf('without-engines', 'RUN'), /^RUN npm ci --omit=dev --omit=optional$/)
  assert.match(lastOf('with-engines', 'RUN'), /^RUN npm ci --omit=dev$/)
})

test('everything that the build needs is let in, and is there', () => {
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  for (const path of allowed) assert.ok(existsSync(join(root, path)), path)
  for (const path of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
    'tools/prepare.sh',
    'packages',
  ])
    assert.ok(allowed.includes(path), path)
})

test('each of our containers is read-only, without capabilities, with a folder of its own', () => {
  for (const file of FILES) {
    const { services, volumes } = readCompose(file)
    const ours = Object.entries(services).filter(([, { build }]) => build)
    assert.ok(ours.length > 0)
    for (const [name, service] of ours) {
      assert.equal(service.read_only, true, name)
      assert.deepEqual(service.tmpfs, ['/tmp'], name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      assert.deepEqual(service.volumes, [`${name}:/var/lib/sallyport`], name)
      assert.ok(
        service.volumes?.every((volume) => (volume.split(':')[0] ?? '') in volumes),
        name,
      )
      assert.ok(stages.has(service.build?.target ?? ''), name)
    }
  }
})

test('metrics of every part can be collected from the host, and from nowhere else', () => {
  const ports = {
    control: [['SALLYPORT_CONTROL_ADMIN_HOST', SETTINGS.controlAdminPort]],
    gateway: [['SALLYPORT_GATEWAY_ADMIN_HOST', SETTINGS.gatewayAdminPort]],
  } as const
  const all = [...ports.control, ...ports.gateway]
  for (const file of FILES) {
    const published: string[] = []
    for (const [name, { build, environment = {}, ports: given = [] }] of Object.entries(
      readCompose(file).services,
    )) {
      published.push(...given)
      if (!build) continue
      const { target } = build
      for (const [variable, { schema }] of target === 'control' || target === 'gateway'
        ? ports[target]
        : all) {
        assert.equal(environment[variable], '0.0.0.0', `${file}: ${name}`)
        const container = String(schema.parse(undefined))
        assert.ok(
          given.some((one) => one.endsWith(`:${container}`)),
          `${file}: ${name}: ${container}`,
        )
      }
    }
    const hosts = published.map((one) => one.split(':', 2).join(':'))
    for (const host of hosts) assert.match(host, /^127\.0\.0\.1:\d+$/, file)
    assert.equal(new Set(hosts).size, hosts.length, file)
  }
})

test('the compose files name settings that there are, and what they depend on', () => {
  for (const file of FILES)
    for (const [name, { build, environment, depends_on: needed }] of Object.entries(
      readCompose(file).services,
    )) {
      const { services } = readCompose(file)
      for (const variable of build ? Object.keys(environment ?? {}) : [])
        assert.ok(variables.has(variable), `${file}: ${name}: ${variable}`)
      for (const other of Object.keys(needed ?? {}))
        assert.ok(services[other]?.healthcheck, `${name}: ${other}`)
    }
})

test('no gateway is told a database, a secret key, or is on a network with a database', () => {
  const { services, networks } = readCompose('deploy/compose-fleet.yaml')
  const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))
  assert.equal(gateways.length, 3)
  for (const [name, { environment = {}, networks: on }] of gateways) {
    assert.deepEqual(
      Object.keys(environment).filter((variable) => /DATABASE|CLICKHOUSE|SECRET_KEY/.test(variable)),
      [],
      name,
    )
    assert.deepEqual(on, ['planes', 'edge'])
  }
  for (const name of ['postgres', 'clickhouse']) assert.deepEqual(services[name]?.networks, ['databases'])
  assert.equal(networks?.databases?.internal, true)
  assert.equal(networks?.planes?.internal, true)
})

test('no secret stands in a compose file', () => {
  for (const file of FILES)
    for (const [, value = ''] of read(file).matchAll(/(?:PASSWORD|TOKEN|SECRET_KEY)\w*: (.+)/g))
      assert.match(value, /^\$\{\w+:\?/, file)
})
