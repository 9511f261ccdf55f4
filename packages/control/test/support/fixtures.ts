/** One of everything in an organization, and requests made of the examples of the contract with its identifiers. */
import { EXAMPLE, exampleNameOf, type Operation, type Role } from '@sallyport/contract'
import { newId } from '../../src/database/database.ts'
import { type CallOptions, GATEWAY_TOKEN, type TestControl, type TestOrganization } from './control.ts'
import { batchBody, event, hit } from './traffic.ts'

/** Identifiers by the names that `EXAMPLE` gives them. */
export interface Fixture extends TestOrganization {
  readonly ids: Readonly<Record<string, string>>
}

export async function createFixture(control: TestControl, name: string): Promise<Fixture> {
  const organization = await control.createOrganization(name)
  const { keys, orgId } = organization
  const create = async (method: string, path: string, body: unknown) => {
    const answer = await control.call(method, path, { key: keys.owner, body })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.text}`)
    return answer.json
  }
  const site = await create('POST', '/api/Sites', { originName: `${newId()}.example.com`, isActive: true })
  const group = await create('POST', '/api/SiteGroups', { gatedName: `g-${newId()}.gate.localhost` })
  const hacker = await create('POST', '/api/Hackers', { email: 'fixture@example.com' })
  const hackerKeys = await control.call('GET', `/api/Hackers/${hacker.id}/keys`, { key: keys.owner })
  const apiKey = await create('POST', '/api/ApiKeys', { name: 'fixture' })
  const item = await create('PUT', '/api/Projects/updateProjectItem', {
    name: 'item',
    project: { name: 'project' },
  })
  const member = await create('POST', '/api/Members', { email: 'member@example.com', role: 'viewer' })
  // Nobody listens at port 9.
  const destination = await create('POST', '/api/Notifications/destinations', {
    kind: 'webhook',
    name: 'fixture',
    target: 'http://127.0.0.1:9/',
    types: [],
  })
  await create('POST', `/api/Notifications/destinations/${destination.id}/test`, undefined)
  const deliveries = await control.call('GET', '/api/Notifications/deliveries', { key: keys.owner })
  for (const title of ['first', 'second'])
    await create('PUT', `/api/Sites/${site.id}/document?name=main`, {
      openapi: '3.1.0',
      info: { title, version: '1' },
      paths: {},
    })
  const savedView = await create('POST', '/api/SavedViews', { name: 'fixture', query: '' })
  const requestId = newId()
  await recordRequest(control, { id: requestId, orgId, siteId: site.id, researcherId: hacker.id })
  return {
    ...organization,
    ids: {
      orgId,
      siteId: site.id,
      groupId: group.id,
      gatedName: site.gatedName,
      groupName: `h-${newId()}.gate.localhost`,
      hackerId: hacker.id,
      hackerKeyId: hackerKeys.json.items[0].id,
      keyId: apiKey.id,
      projectId: item.projectId,
      itemId: item.id,
      memberId: member.id,
      destinationId: destination.id,
      deliveryId: deliveries.json.items[0].id,
      savedViewId: savedView.id,
      requestId,
    },
  }
}

async function recordRequest(control: TestControl, given: Parameters<typeof event>[0]): Promise<void> {
  const answer = await fetch(`${control.url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
    // The second one is an operation of the site's API, since it has no hit.
    body: batchBody([event({ hits: [hit()], ...given }), event({ ...given, id: newId() })], {
      batchId: newId(),
    }),
  })
  if (answer.status !== 204) throw new Error(`the batch was answered ${answer.status}`)
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
