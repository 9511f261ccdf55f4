/** One of everything in an organization, and requests made of the examples of the contract with its identifiers. */
import { EXAMPLE, exampleNameOf, type Operation, type Role } from '@sallyport/contract'
import { newId } from '../../src/database/database.ts'
import {
  type CallOptions,
  postBatch,
  type TestAnswer,
  type TestControl,
  type TestOrganization,
} from './control.ts'
import { event, hit } from './traffic.ts'

/** Identifiers by the names that `EXAMPLE` gives them. */
type Ids = Readonly<Record<string, string>>

/** An organization with things in it. */
export interface Fixture extends TestOrganization {
  readonly ids: Ids
}

/** Makes a thing by the API and answers it. */
type Create = (method: string, path: string, body: unknown) => Promise<TestAnswer['json']>

/** The things of an organization, by the identifiers that need one. */
const THINGS: readonly (readonly [neededBy: readonly string[], make: (create: Create) => Promise<Ids>])[] = [
  [['hackerId', 'hackerKeyId', 'siteId', 'gatedName', 'requestId'], makeResearcher],
  [['siteId', 'gatedName', 'requestId'], makeSite],
  [['groupId', 'groupName'], makeGroup],
  [['keyId'], makeApiKey],
  [['projectId', 'itemId'], makeProject],
  [['memberId'], makeMember],
  [['destinationId', 'deliveryId'], makeDestination],
  [['savedViewId'], makeSavedView],
]

/** One of everything; for one operation alone what its path and its examples name. */
export async function createFixture(
  control: TestControl,
  name: string,
  operation?: Operation,
): Promise<Fixture> {
  const organization = await control.createOrganization(name)
  const { keys, orgId } = organization
  const create: Create = async (method, path, body) => {
    const answer = await control.call(method, path, { key: keys.owner, body })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.text}`)
    return answer.json
  }
  const isNeeded = operation === undefined ? () => true : namedBy(operation)
  let ids: Ids = { orgId }
  for (const [names, make] of THINGS) if (names.some(isNeeded)) ids = { ...ids, ...(await make(create)) }
  if (ids.siteId !== undefined && isAbout(/document|definition|operations/i, operation))
    await uploadDocuments(create, ids.siteId)
  if (ids.siteId !== undefined && isAbout(/analytics|operations|evidence/i, operation))
    ids = { ...ids, requestId: await recordRequests(control, ids) }
  return { ...organization, ids }
}

/** Whether an operation is about this by its path; without one, everything is asked for. */
const isAbout = (subject: RegExp, operation: Operation | undefined): boolean =>
  operation === undefined || subject.test(operation.path)

/** Whether an operation names the thing of an identifier. */
function namedBy({ path, examples }: Operation): (name: string) => boolean {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => exampleNameOf(path, parameter))
  const text = JSON.stringify([examples.body, examples.query])
  const inText = Object.entries(EXAMPLE).flatMap(([name, example]) => (text.includes(example) ? [name] : []))
  const names: readonly (string | undefined)[] = [...inPath, ...inText]
  return (name) => names.includes(name)
}

async function makeResearcher(create: Create): Promise<Ids> {
  const { id } = await create('POST', '/api/Hackers', { email: 'fixture@example.com' })
  const { items } = await create('GET', `/api/Hackers/${id}/keys`, undefined)
  return { hackerId: id, hackerKeyId: items[0].id }
}

async function makeSite(create: Create): Promise<Ids> {
  const site = await create('POST', '/api/Sites', { originName: `${newId()}.example.com`, isActive: true })
  return { siteId: site.id, gatedName: site.gatedName }
}

/** Two versions of a document. */
async function uploadDocuments(create: Create, siteId: string): Promise<void> {
  for (const title of ['first', 'second'])
    await create('PUT', `/api/Sites/${siteId}/document?name=main`, {
      openapi: '3.1.0',
      info: { title, version: '1' },
      paths: {},
    })
}

async function makeGroup(create: Create): Promise<Ids> {
  const { id } = await create('POST', '/api/SiteGroups', { gatedName: `g-${newId()}.gate.localhost` })
  return { groupId: id, groupName: `h-${newId()}.gate.localhost` }
}

async function makeApiKey(create: Create): Promise<Ids> {
  return { keyId: (await create('POST', '/api/ApiKeys', { name: 'fixture' })).id }
}

async function makeProject(create: Create): Promise<Ids> {
  const item = { name: 'item', project: { name: 'project' } }
  const { id, projectId } = await create('PUT', '/api/Projects/updateProjectItem', item)
  return { projectId, itemId: id }
}

async function makeMember(create: Create): Promise<Ids> {
  return {
    memberId: (await create('POST', '/api/Members', { email: 'member@example.com', role: 'viewer' })).id,
  }
}

/** With a delivery. Nobody listens at port 9. */
async function makeDestination(create: Create): Promise<Ids> {
  const { id } = await create('POST', '/api/Notifications/destinations', {
    kind: 'webhook',
    name: 'fixture',
    target: 'http://127.0.0.1:9/',
    types: [],
  })
  await create('POST', `/api/Notifications/destinations/${id}/test`, undefined)
  const { items } = await create('GET', '/api/Notifications/deliveries', undefined)
  return { destinationId: id, deliveryId: items[0].id }
}

async function makeSavedView(create: Create): Promise<Ids> {
  return { savedViewId: (await create('POST', '/api/SavedViews', { name: 'fixture', query: '' })).id }
}

/** Records a request of the researcher, whose id it answers, and one that is an operation of the site's API, since it has no hit. */
async function recordRequests(control: TestControl, { orgId, siteId, hackerId }: Ids): Promise<string> {
  const id = newId()
  const given = { orgId: orgId ?? '', siteId: siteId ?? '', researcherId: hackerId ?? '' }
  await postBatch(control, [event({ hits: [hit()], ...given, id }), event({ ...given, id: newId() })])
  return id
}

/** The path of an operation with the identifiers of a fixture in it. */
export function pathOf(
  { path, examples }: Operation,
  ids: Fixture['ids'],
  query = withIds(examples.query, ids),
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    String(ids[exampleNameOf(path, name) ?? '']),
  )
  return query ? `${filled}?${new URLSearchParams(query as Record<string, string>)}` : filled
}

/** A value of an example with the identifiers of a fixture instead of the example's. */
function withIds(value: unknown, ids: Fixture['ids']): unknown {
  let text = JSON.stringify(value)
  for (const [name, id] of Object.entries(EXAMPLE)) {
    const own = ids[name]
    if (own !== undefined) text = text?.replaceAll(id, own)
  }
  return text === undefined ? undefined : JSON.parse(text)
}

/** The request of the operation's example, on the things of a fixture. */
export function exampleRequest(
  operation: Operation,
  ids: Fixture['ids'],
  key?: string,
): { path: string; options: CallOptions } {
  const body = withIds(operation.examples.body, ids)
  if (operation.consumes === 'form')
    return { path: pathOf(operation, ids), options: { ...formOf(body), ...(key !== undefined && { key }) } }
  return {
    path: pathOf(operation, ids),
    options: { ...(key !== undefined && { key }), ...(body !== undefined && { body }) },
  }
}

/** A body as a form: texts as they are, anything else as a JSON file. */
export function formOf(body: unknown, boundary = 'a-boundary'): Pick<CallOptions, 'body' | 'headers'> {
  const parts = Object.entries(body ?? {}).map(([name, value]: [string, unknown]) =>
    typeof value === 'string'
      ? `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
      : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.json"\r\n` +
        `Content-Type: application/json\r\n\r\n${JSON.stringify(value)}\r\n`,
  )
  return {
    body: `${parts.join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** Identifiers like those of a fixture that nobody has. */
export const unknownIds = (ids: Fixture['ids']): Fixture['ids'] =>
  Object.fromEntries(Object.keys(ids).map((name) => [name, newId()]))

/** The strongest role that may not do this; undefined where every role may. */
export function roleBelow(
  operation: Operation,
  allows: (role: Role, permission: Operation['permission']) => boolean,
) {
  return (['admin', 'viewer'] as const).find((role) => !allows(role, operation.permission))
}
