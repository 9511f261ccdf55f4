/** The organization of the demo: sites in front of the shop, researchers, a project, as an admin would set them up. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@sallyport/contract'
import type { FirstRun } from '../../packages/sallyport/src/roles/first-run-file.ts'
import { SHOP_DEFINITION } from './definition.ts'

export interface DemoResearcher {
  readonly email: string
  readonly key: string
}

export interface Demo {
  readonly sites: readonly Site[]
  readonly researchers: readonly DemoResearcher[]
}

const DAY_MS = 86_400_000

const RESEARCHERS = [
  { email: 'browser@researchers.example', name: 'Browser and Burp' },
  { email: 'scripts@researchers.example', name: 'Scripts' },
  { email: 'recon@researchers.example', name: 'Recon' },
]

/** Makes what is missing and points the sites at the shop's present address. May be repeated. */
export async function prepareDemo(dataDir: string, firstRun: FirstRun, originUrl: string): Promise<Demo> {
  const call = createCaller(firstRun)
  const researchers = await prepareResearchers(dataDir, call)
  const present = await call<Site[]>('GET', '/api/sites')
  const sites: Site[] = []
  for (const { gatedName, ...fields } of describeSites(originUrl)) {
    const existing = present.find((site) => site.gatedName === gatedName)
    sites.push(
      existing
        ? await call<Site>('PATCH', `/api/Sites/${existing.id}`, { originName: originUrl })
        : await call<Site>('POST', '/api/Sites', { gatedName, ...fields }),
    )
  }
  if (present.length === 0) await prepareRest(call, sites)
  return { sites, researchers }
}

const describeSites = (originName: string) => [
  {
    gatedName: 'shop.gate.localhost',
    originName,
    isActive: true,
    rateLimit: 'sliding',
    blockList: JSON.stringify([
      { id: 'back-office', pathPrefix: '/admin', note: 'Live back office: stay out' },
    ]),
    instructions: 'In scope: everything but /admin. No denial of service. Test card: 4111 1111 1111 1111.',
    credentials: 'demo / lighthouse',
  },
  { gatedName: 'shop-api.gate.localhost', originName, isActive: true, rateLimit: 'shared' },
  { gatedName: 'old-shop.gate.localhost', originName, isActive: false },
]

async function prepareRest(call: Call, sites: readonly Site[]): Promise<void> {
  const [, api] = sites
  if (api) await call('PUT', `/api/Sites/${api.id}/firewall`, { mode: 'enforce' })
  for (const site of sites.slice(0, 2)) await call('PUT', `/api/Sites/${site.id}/definition`, SHOP_DEFINITION)
  await preparePeople(call)
  const day = (offset: number): string => new Date(Date.now() + offset * DAY_MS).toISOString()
  await call('POST', '/api/Projects', {
    name: 'Shop, summer test',
    type: 'web',
    owner: 'Web team',
    launchDate: day(-160),
    endDate: day(-146),
    isRetestNeeded: false,
    reportDeadline: day(-139).slice(0, 10),
  })
  const { id } = await call<{ id: string }>('POST', '/api/Projects', {
    name: 'Shop, winter test',
    type: 'web',
    accessType: 'remote',
    owner: 'Web team',
    vendor: 'Invited researchers',
    description: 'The shop and its API before the winter sale.',
    launchDate: day(-2),
    endDate: day(12),
    isRetestNeeded: true,
    retestingLaunch: day(26),
    retestingEnd: day(30),
    reportDeadline: day(19).slice(0, 10),
  })
  for (const [index, site] of sites.slice(0, 2).entries()) {
    const item = await call<{ id: string }>('PUT', '/api/Projects/updateProjectItem', {
      name: site.gatedName,
      projectId: id,
      type: 'web',
      location: `https://${site.gatedName}`,
    })
    await call('PUT', `/api/Projects/items/${item.id}/check`, {
      ...(index === 0 ? SEARCH_CHECK : ORDERS_CHECK),
      ties: (index === 0 ? ['/search', '/products/{id}'] : ['/search', '/files', '/api/orders/{id}']).map(
        (template) => ({
          siteId: site.id,
          method: 'GET',
          template,
        }),
      ),
      dueDate: day(10).slice(0, 10),
    })
  }
}

/** How far what was ordered has come. */
const SEARCH_CHECK = { state: 'in_progress', attackClasses: ['sql_injection', 'xss'] }
const ORDERS_CHECK = { state: 'in_progress', attackClasses: ['sql_injection', 'xss', 'lfi'] }

/** A second member and billing details, so that their pages show something. */
async function preparePeople(call: Call): Promise<void> {
  await call('POST', '/api/Members', { email: 'viewer@shop.example', name: 'Web team', role: 'viewer' })
  await call('POST', '/api/Billing', {
    bussinessName: 'Harbour Supplies',
    address: 'Quay 1',
    city: 'Port',
    country: 'Atlantis',
    email: 'invoices@shop.example',
  })
}

/** Keys are shown once, so the demo keeps those it was given. */
async function prepareResearchers(dataDir: string, call: Call): Promise<DemoResearcher[]> {
  const file = join(dataDir, 'demo.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const made: DemoResearcher[] = []
  for (const researcher of RESEARCHERS) {
    const { email, key } = await call<DemoResearcher>('POST', '/api/Hackers', researcher)
    made.push({ email, key })
  }
  writeFileSync(`${file}.new`, JSON.stringify(made), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return made
}

type Call = <Body>(method: string, path: string, body?: unknown) => Promise<Body>

function createCaller({ controlUrl, apiKey }: FirstRun): Call {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await fetch(controlUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
    // What the API answers is what the contract says; the demo fails loudly where it is not.
    return (text ? JSON.parse(text) : undefined) as Body
  }
}
