/** What the Kubernetes manifests and the systemd units promise, as far as it can be read in them. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { SETTINGS } from '../../packages/sallyport/src/settings.ts'

const root = resolve(import.meta.dirname, '../..')
const KUBERNETES = join(root, 'deploy/kubernetes')
const SYSTEMD = join(root, 'deploy/systemd')
const variables = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))

type Labels = Readonly<Record<string, string>>
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Container {
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly envFrom: readonly { readonly configMapRef?: { readonly name: string } }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
}
interface Pod {
  readonly metadata: { readonly labels: Labels }
  readonly spec: {
    readonly enableServiceLinks: boolean
    readonly automountServiceAccountToken: boolean
    readonly terminationGracePeriodSeconds: number
    readonly securityContext: object
    readonly containers: readonly Container[]
    readonly volumes: readonly { readonly name: string }[]
  }
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas: number
    readonly serviceName: string
    readonly selector: Labels & { readonly matchLabels?: Labels }
    readonly podSelector: { readonly matchLabels?: Labels }
    readonly template: Pod
    readonly ports: readonly { readonly targetPort: string }[]
    readonly ingress?: readonly {
      readonly from?: readonly { readonly namespaceSelector?: { readonly matchLabels: Labels } }[]
      readonly ports: readonly { readonly port: number }[]
    }[]
    readonly egress?: readonly { readonly ports?: readonly { readonly port: number }[] }[]
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
  }
}

const kustomization: {
  readonly resources: readonly string[]
  readonly images: readonly { newTag: string }[]
} = parse(readFileSync(join(KUBERNETES, 'kustomization.yaml'), 'utf8'))
const manifests = kustomization.resources.flatMap((file) =>
  parseAllDocuments(readFileSync(join(KUBERNETES, file), 'utf8')).map((document): Manifest => {
    assert.deepEqual(document.errors, [], file)
    return document.toJS()
  }),
)
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind)
const workloads = ofKind('StatefulSet')
const labelsOf = ({ spec }: Manifest): Labels => spec.template.metadata.labels
const selects = (selector: Labels | undefined, labels: Labels): boolean =>
  Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value)

test('every manifest is applied, once, in the version of the program', () => {
  const files = readdirSync(KUBERNETES).filter((name) => name !== 'kustomization.yaml')
  assert.deepEqual([...kustomization.resources].toSorted(), files.toSorted())
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  assert.equal(new Set(names).size, names.length)
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sallyport/package.json'), 'utf8'))
  for (const { newTag } of kustomization.images) assert.equal(newTag, version)
})

test('every pod is an ordinary user’s, read-only, without privileges or the names of services', () => {
  assert.equal(workloads.length, 2)
  for (const { metadata, spec } of workloads) {
    const pod = spec.template.spec
    assert.equal(pod.enableServiceLinks, false, metadata.name)
    assert.equal(pod.automountServiceAccountToken, false)
    assert.ok(pod.terminationGracePeriodSeconds >= 60)
    assert.partialDeepStrictEqual(pod.securityContext, {
      runAsNonRoot: true,
      runAsUser: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const container of pod.containers)
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
  }
})

test('probes, volumes and settings are there, and no secret is among the settings', () => {
  const maps = new Map(ofKind('ConfigMap').map(({ metadata, data }) => [metadata.name, data ?? {}]))
  for (const [name, data] of maps)
    for (const variable of Object.keys(data)) {
      assert.ok(variables.has(variable), `${name}: ${variable}`)
      assert.doesNotMatch(variable, /SECRET|_TOKEN$|DATABASE|CLICKHOUSE|VALKEY/)
    }
  for (const { spec } of workloads)
    for (const container of spec.template.spec.containers) {
      for (const { name } of container.env ?? []) assert.ok(variables.has(name), name)
      for (const { configMapRef } of container.envFrom)
        assert.ok(!configMapRef || maps.has(configMapRef.name))
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const { path, port } = container[probe].httpGet
        assert.equal(path, probe === 'readinessProbe' ? '/readyz' : '/healthz')
        assert.ok(container.ports.some(({ name }) => name === port))
      }
      const volumes = [
        ...spec.template.spec.volumes.map(({ name }) => name),
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
      ]
      for (const { name } of container.volumeMounts) assert.ok(volumes.includes(name), name)
      assert.ok(container.volumeMounts.some(({ mountPath }) => mountPath === '/var/lib/sallyport'))
    }
})

test('each gateway has a volume of its own, which stays when its pod goes', () => {
  const gateway = workloads.find(({ metadata }) => metadata.name === 'gateway')
  assert.deepEqual(
    gateway?.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name),
    ['data'],
  )
})

test('services, budgets and network policies choose the pods that they are for', () => {
  const pods = workloads.map(labelsOf)
  for (const workload of workloads) {
    const labels = labelsOf(workload)
    assert.ok(selects(workload.spec.selector.matchLabels, labels))
    assert.ok(ofKind('Service').some(({ metadata }) => metadata.name === workload.spec.serviceName))
    const budgets = ofKind('PodDisruptionBudget').filter(({ spec }) =>
      selects(spec.selector.matchLabels, labels),
    )
    assert.equal(budgets.length, 1)
    const policies = ofKind('NetworkPolicy').filter(({ spec }) =>
      selects(spec.podSelector.matchLabels, labels),
    )
    assert.equal(policies.length, 3, 'nothing, names, and its own')
  }
  for (const { metadata, spec } of ofKind('Service')) {
    const chosen = pods.findIndex((labels) => selects(spec.selector, labels))
    const ports = workloads[chosen]?.spec.template.spec.containers.flatMap(({ ports }) => ports) ?? []
    for (const { targetPort } of spec.ports)
      assert.ok(
        ports.some(({ name }) => name === targetPort),
        metadata.name,
      )
  }
})

test('metrics of every pod are at a port of its service, for those alone who watch', () => {
  for (const workload of workloads) {
    const labels = labelsOf(workload)
    const [container] = workload.spec.template.spec.containers
    const admin = container?.ports.find(({ name }) => name === 'admin')?.containerPort
    const variable = `SALLYPORT_${workload.metadata.name.toUpperCase()}_ADMIN_HOST`
    assert.equal(container?.env?.find(({ name }) => name === variable)?.value, '0.0.0.0')
    const service = ofKind('Service').find(({ metadata }) => metadata.name === workload.spec.serviceName)
    assert.ok(service?.spec.ports.some(({ targetPort }) => targetPort === 'admin'))
    const letIn = ofKind('NetworkPolicy')
      .filter(({ spec }) => selects(spec.podSelector.matchLabels, labels))
      .flatMap(({ spec }) => spec.ingress ?? [])
      .filter(({ ports }) => ports.some(({ port }) => port === admin))
    assert.deepEqual(
      letIn.map(({ from }) => from?.map((one) => one.namespaceSelector?.matchLabels)),
      [[{ 'kubernetes.io/metadata.name': 'monitoring' }]],
    )
  }
})

test('mail leaves the control plane, and traces every pod, by the ports that the settings name', () => {
  const settings = readFileSync(join(root, 'docs/settings.md'), 'utf8')
  const portsOf = (variable: string): number[] => {
    const row = settings.split('\n').find((line) => line.startsWith(`| \`${variable}\``))
    return [...(row ?? '').matchAll(/:(\d+)\b/g)].map(([, port]) => Number(port))
  }
  const [mail, traces] = [portsOf('SALLYPORT_SMTP_URL'), portsOf('SALLYPORT_TRACES_URL')]
  assert.deepEqual([mail, traces], [[587, 465], [4318]])
  for (const workload of workloads) {
    const letOut = ofKind('NetworkPolicy')
      .filter(({ spec }) => selects(spec.podSelector.matchLabels, labelsOf(workload)))
      .flatMap(({ spec }) => spec.egress ?? [])
      .flatMap(({ ports }) => ports ?? [])
      .map(({ port }) => port)
    const wanted = workload.metadata.name === 'control' ? [...mail, ...traces] : traces
    for (const port of wanted) assert.ok(letOut.includes(port), `${workload.metadata.name}: ${port}`)
  }
})

test('gateways name a control plane for each of its pods', () => {
  const control = workloads.find(({ metadata }) => metadata.name === 'control')
  const settings =
    ofKind('ConfigMap').find(({ metadata }) => metadata.name === 'sallyport-gateway')?.data ?? {}
  const hosts = Array.from({ length: control?.spec.replicas ?? 0 }, (_, index) => `control-${index}.control`)
  assert.equal(settings.SALLYPORT_CONTROL_URL, hosts.map((host) => `http://${host}:7070`).join(','))
  assert.equal(settings.SALLYPORT_ALLOW_PLAIN_CONTROL_URL, hosts.join(','))
})

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

test('kustomize takes them', { skip: has('kubectl') ? false : 'no kubectl here' }, () => {
  const made = execFileSync('kubectl', ['kustomize', KUBERNETES], { encoding: 'utf8' })
  assert.equal(parseAllDocuments(made).length, manifests.length)
})

test('the units are ones that systemd takes, and are exposed little', {
  skip: has('systemd-analyze') ? false : 'no systemd here',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-units-'))
  for (const name of readdirSync(SYSTEMD)) {
    const unit = readFileSync(join(SYSTEMD, name), 'utf8')
    for (const [, variable = ''] of unit.matchAll(/^Environment=(SALLYPORT_\w+)=/gm))
      assert.ok(variables.has(variable), variable)
    // Neither its program nor its user is on this machine.
    const elsewhere = unit
      .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
      .replaceAll(/^(User|Group)=.*$/gm, '')
    writeFileSync(join(folder, name), elsewhere)
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, name)], {
      encoding: 'utf8',
    })
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, name)
    const exposure = spawnSync('systemd-analyze', ['security', '--offline=yes', join(SYSTEMD, name)], {
      encoding: 'utf8',
    })
    assert.ok(Number(/exposure level .*: ([\d.]+)/.exec(exposure.stdout)?.[1]) <= 2, exposure.stdout)
  }
  rmSync(folder, { recursive: true })
})
