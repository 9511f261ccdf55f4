/**
 * The direction of imports, between packages and between the rooms of a package, and a reader that finds those that point
 * the wrong way. `contract` imports nothing of ours; the planes never import each other; see ARCHITECTURE.md.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { importsOf, listSources } from './sources.ts'

/** Which of our packages each package may import. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  toolbox: [],
  http1: [],
  'api-definition': [],
  'api-learning': [],
  'clickhouse-native': [],
  'evidence-pack': [],
  journal: [],
  tracing: [],
  policy: ['contract'],
  firewall: ['contract', 'toolbox'],
  control: [
    'contract',
    'policy',
    'toolbox',
    'tracing',
    'clickhouse-native',
    'evidence-pack',
    'api-definition',
    'api-learning',
  ],
  gateway: ['contract', 'policy', 'firewall', 'api-definition', 'toolbox', 'tracing', 'http1', 'journal'],
  client: ['contract'],
  console: ['contract', 'client', 'evidence-pack', 'policy'],
  sallyport: ['contract', 'client', 'control', 'gateway', 'firewall', 'http1', 'toolbox'],
}

/**
 * The rooms of a package, each with the rooms that it may import. A room is a folder of its `src` with all that is below it,
 * or one file; `x/*` makes each folder of `x` a room. A file is in the deepest room that holds it, and in `.` where none does.
 * `*` allows every room but those of the same pattern. What `.` itself imports is held only where it has an entry.
 */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'api-definition': {
    'table.ts': [],
    schema: ['table.ts'],
    compile: ['schema', 'table.ts'],
    paths: ['table.ts'],
    request: ['compile', 'schema', 'table.ts'],
  },
  'api-learning': {
    'observation.ts': [],
    requests: ['observation.ts'],
    tree: ['observation.ts', 'requests'],
    learned: ['tree'],
  },
  control: {
    'settings.ts': [],
    'errors.ts': [],
    'http/bind-dependencies.ts': [],
    'http/defined-only.ts': [],
    'http/policy-sources.ts': [],
    'http/log.ts': [],
    secrets: [],
    'traffic-store': ['errors.ts'],
    database: ['secrets', 'errors.ts'],
    'database/ledger': ['traffic-store'],
    audit: ['database'],
    'live-tail': ['database', 'errors.ts'],
    backup: ['database', 'database/ledger', 'http/request', 'settings.ts', 'traffic-store'],
    'http/openapi': [],
    'http/documents': ['database', 'errors.ts'],
    'http/request': ['database', 'http/documents', 'errors.ts'],
    'operator/installation-log.ts': ['audit', 'database'],
    'gateway-access': ['database', 'errors.ts', 'http/request', 'identity', 'operator/installation-log.ts'],
    collector: ['database', 'gateway-access', 'live-tail', 'traffic-store'],
    feed: ['database', 'gateway-access'],
    outgoing: ['identity'],
    notify: ['database', 'http/request', 'outgoing', 'secrets', 'settings.ts', 'traffic-store'],
    identity: [
      'database',
      'http/bind-dependencies.ts',
      'http/policy-sources.ts',
      'http/request',
      'secrets',
      'settings.ts',
    ],
    http: [
      'database',
      'http/documents',
      'errors.ts',
      'http/policy-sources.ts',
      'http/request',
      'identity',
      'settings.ts',
      'traffic-store',
    ],
    'features/*': [
      'audit',
      'database',
      'feed',
      'http',
      'http/bind-dependencies.ts',
      'http/defined-only.ts',
      'http/documents',
      'errors.ts',
      'gateway-access',
      'http/request',
      'identity',
      'live-tail',
      'notify',
      'outgoing',
      'secrets',
      'settings.ts',
      'traffic-store',
    ],
    admin: ['collector', 'database', 'feed', 'http', 'notify', 'traffic-store'],
    operator: [
      'audit',
      'database',
      'errors.ts',
      'features/*',
      'gateway-access',
      'identity',
      'operator/installation-log.ts',
      'secrets',
      'settings.ts',
    ],
  },
  policy: {
    'access.ts': [],
    addresses: [],
    hosts: [],
    limiters: [],
    paths: [],
    routes: ['paths'],
    rules: ['paths'],
  },
  firewall: {
    decoding: [],
    request: ['decoding', '.'],
    body: ['decoding', 'request', '.'],
    rules: ['request', '.'],
    prefilter: ['request', 'rules', '.'],
    preparation: ['prefilter', 'rules'],
    crs: ['request', 'rules', '.'],
  },
  gateway: {
    'settings.ts': [],
    headers: [],
    snapshot: ['settings.ts'],
    exchange: ['headers', 'settings.ts', 'snapshot'],
    behaviour: ['exchange', 'headers'],
    closures: ['snapshot', 'settings.ts'],
    definition: ['exchange', 'snapshot'],
    lease: ['snapshot', 'settings.ts'],
    'control-plane': ['closures', 'exchange', 'lease', 'snapshot', 'settings.ts'],
    credentials: ['exchange', 'snapshot'],
    pages: ['credentials', 'exchange'],
    record: ['control-plane', 'exchange', 'snapshot', 'settings.ts'],
    downstream: ['exchange', 'headers', 'settings.ts'],
    upstream: ['credentials', 'exchange', 'headers', 'pages', 'record', 'snapshot', 'settings.ts'],
    'stages/*': [
      'closures',
      'credentials',
      'definition',
      'exchange',
      'headers',
      'lease',
      'record',
      'snapshot',
      'settings.ts',
    ],
    'gate-host': [
      'closures',
      'control-plane',
      'credentials',
      'exchange',
      'lease',
      'record',
      'snapshot',
      'stages/*',
    ],
    serve: [
      'closures',
      'credentials',
      'downstream',
      'exchange',
      'gate-host',
      'headers',
      'lease',
      'pages',
      'record',
      'snapshot',
      'stages/*',
      'upstream',
    ],
    admin: ['closures', 'exchange', 'record', 'snapshot', 'stages/*'],
    threads: [
      '.',
      'admin',
      'closures',
      'control-plane',
      'credentials',
      'downstream',
      'exchange',
      'gate-host',
      'lease',
      'record',
      'settings.ts',
      'snapshot',
      'stages/*',
      'upstream',
    ],
  },
  console: {
    '.': ['session', 'design', 'app'],
    // How a language writes numbers and sentences.
    language: [],
    session: [],
    api: ['language', 'session'],
    design: ['language', 'session', 'api'],
    // The colours of attacks are of all parts.
    'parts/attack': ['language', 'design'],
    'parts/*': ['language', 'session', 'api', 'design', 'parts/attack'],
    'pages/*': ['language', 'session', 'api', 'design', 'parts/attack', 'parts/*'],
    app: ['language', 'session', 'api', 'design', 'parts/attack', 'parts/*', 'pages/*'],
    researcher: ['researcher/app', 'researcher/pages/*'],
    'researcher/api': ['language'],
    'researcher/design': ['language', 'researcher/api'],
    'researcher/parts/*': ['language', 'researcher/api', 'researcher/design'],
    'researcher/pages/*': ['language', 'researcher/api', 'researcher/design', 'researcher/parts/*'],
    'researcher/app': [
      'language',
      'researcher/api',
      'researcher/design',
      'researcher/parts/*',
      'researcher/pages/*',
    ],
  },
}

/** Faces that are a part of a package: the contract without schemas, and with those of batches alone; Node's HTTP of the toolbox. */
const FACES = ['@sallyport/contract/words', '@sallyport/contract/batches', '@sallyport/toolbox/node-http']

/** The rooms of each package and what they may import, as a graph; `*` is left out, and so are a room and a room in it. */
export const roomGraphs = (): ReadonlyMap<string, readonly string[]>[] =>
  Object.values(ROOMS).map((rooms) => {
    const isWithin = (one: string, other: string): boolean => one.startsWith(`${other}/`)
    const edges = Object.entries(rooms).map(([room, allowed]): [string, string[]] => [
      room,
      allowed.filter((to) => to !== '*' && !isWithin(room, to) && !isWithin(to, room)),
    ])
    return new Map(edges)
  })

/** An import that points the wrong way. */
export interface WrongArrow {
  readonly file: string
  readonly imported: string
  readonly why: string
}

/** Reads every source file under `root/packages` and returns the imports that break a rule. */
export const findWrongArrows = (root: string): WrongArrow[] =>
  Object.keys(ARROWS).flatMap((name) => {
    const source = join('packages', name, 'src')
    return listSources(root, source).flatMap((file) =>
      importsOf(readFileSync(join(root, file), 'utf8')).flatMap((imported) => {
        const why = whyWrong(name, relative(source, file), imported)
        return why ? [{ file, imported, why }] : []
      }),
    )
  })

/** Says why `imported` may not be imported from `file` (relative to the package's src), or nothing if it may. */
export function whyWrong(packageName: string, file: string, imported: string): string | undefined {
  const ours = /^@sallyport\/([a-z0-9-]+)(\/.*)?$/.exec(imported)
  if (ours) {
    const target = ours[1] ?? ''
    if (!ARROWS[packageName]?.includes(target)) return `${packageName} may not import ${target}`
    if (ours[2] && !FACES.includes(imported)) return 'a package is imported by its public face only'
  }
  if (!imported.startsWith('.')) return undefined
  const target = relative('.', join(file, '..', imported))
  if (target.startsWith('..')) return 'reaches outside its package'
  return whyWrongRoom(packageName, file, target)
}

function whyWrongRoom(packageName: string, file: string, target: string): string | undefined {
  const rooms = ROOMS[packageName]
  if (!rooms) return undefined
  const from = roomOf(rooms, file)
  const to = roomOf(rooms, target)
  const allowed = rooms[from.pattern]
  if (!allowed || from.room === to.room || allowed.includes(to.pattern)) return undefined
  if (allowed.includes('*') && from.pattern !== to.pattern) return undefined
  return `${from.room} imports ${to.room}, which it may not`
}

/** The deepest room that holds a file, and the pattern by which the table names it. */
function roomOf(rooms: Readonly<Record<string, unknown>>, file: string): { room: string; pattern: string } {
  const parts = file.split('/')
  let deepest = { room: '.', pattern: '.' }
  let depth = 0
  for (const pattern of Object.keys(rooms)) {
    const names = pattern.split('/')
    if (names.length <= depth || names.length > parts.length) continue
    // The last part of a path is a file, and what `*` stands for is a folder.
    if (names.at(-1) === '*' && names.length === parts.length) continue
    if (!names.every((name, index) => name === '*' || name === parts[index])) continue
    deepest = { room: parts.slice(0, names.length).join('/'), pattern }
    depth = names.length
  }
  return deepest
}
