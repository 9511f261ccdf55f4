/** Values that the examples of the operations share. */
export const EXAMPLE = {
  orgId: '019d3f5a-7c10-7d3e-9a51-0c6a2f1e8b01',
  userId: '019d3f5a-7c11-7a02-8d11-53b7c0a9e411',
  siteId: '019d3f5b-01aa-7f60-b1c4-9d7e2a6f3c20',
  groupId: '019d3f5b-0b11-7c22-9d33-1a2b3c4d5e60',
  groupName: 'example-shop.gate.localhost',
  gatedName: 'shop-example-com.gate.localhost',
  hackerId: '019d3f5b-44e0-7c19-a2f3-6e5d4c3b2a10',
  hackerKeyId: '019d3f5b-5a10-7d02-9e11-0a1b2c3d4e5f',
  keyId: '019d3f5b-9b02-7e77-8f00-1a2b3c4d5e6f',
  projectId: '019d3f5c-0f3d-7b21-9c8d-7e6f5a4b3c2d',
  itemId: '019d3f5c-2a90-7d45-8b7a-0f1e2d3c4b5a',
  memberId: '019d3f5a-7c11-7a02-8d11-53b7c0a9e411',
  gatewayId: 'gateway-1f0c3a9be27d',
  destinationId: '019d3f61-2a10-7c33-9e44-5f6a7b8c9d01',
  deliveryId: '019d3f61-3b20-7d44-8f55-6a7b8c9d0e12',
  savedViewId: '019d3f62-4c30-7d55-9a66-7b8c9d0e1f23',
  requestId: '019d3f60-1111-7222-8333-444455556666',
  time: '2026-11-02T09:30:00.000Z',
  later: '2026-12-24T18:00:00.000Z',
  email: 'researcher@example.com',
  ownerEmail: 'owner@example.com',
  cursor: 'eyJvZmZzZXQiOiIwMTlkM2Y1YiJ9',
} as const

/** What the `id` of a path names, by how the path begins. The first that fits counts. */
const NAMED_BY_ID: readonly (readonly [beginning: string, name: keyof typeof EXAMPLE])[] = [
  ['/api/Sites', 'siteId'],
  ['/api/SiteGroups', 'groupId'],
  ['/api/Evidence', 'siteId'],
  ['/api/Hackers', 'hackerId'],
  ['/api/Projects/items/', 'itemId'],
  ['/api/Projects/getProjectItem/', 'itemId'],
  ['/api/Projects', 'projectId'],
  ['/api/ApiKeys', 'keyId'],
  ['/api/Members', 'memberId'],
  ['/api/Analytics/requests', 'requestId'],
  ['/api/Notifications/destinations', 'destinationId'],
  ['/api/Notifications/deliveries', 'deliveryId'],
  ['/api/SavedViews', 'savedViewId'],
]

/** The example that stands for a parameter of a path. */
export function exampleNameOf(path: string, parameter: string): keyof typeof EXAMPLE | undefined {
  if (parameter === 'keyId') return 'hackerKeyId'
  return NAMED_BY_ID.find(([beginning]) => path.startsWith(beginning))?.[1]
}

/** A project and an item of it, as examples answer them. */
export const exampleProject = {
  id: EXAMPLE.projectId,
  orgId: EXAMPLE.orgId,
  name: 'Shop, winter test',
  creationDate: EXAMPLE.time,
  createdBy: EXAMPLE.ownerEmail,
  type: 'web',
  description: 'The public shop and its API.',
  note: null,
  launchDate: EXAMPLE.time,
  endDate: EXAMPLE.later,
  owner: 'Security team',
  vendor: null,
  reportDeadline: '2027-01-15',
  isRetestNeeded: true,
  accessType: 'grey box',
  location: null,
}
export const exampleItem = {
  id: EXAMPLE.itemId,
  orgId: EXAMPLE.orgId,
  name: 'Checkout API',
  projectId: EXAMPLE.projectId,
  project: exampleProject,
  type: 'api',
  accessType: 'grey box',
  location: 'https://shop.example.com/api/checkout',
  creationDate: EXAMPLE.time,
  createdBy: EXAMPLE.ownerEmail,
}
