/** What there is a picture of: every page of the console and of the researcher's side, with what to do there first. */
import type { Hacker, Project, Site } from '@sallyport/contract'
import type { Page } from 'playwright-core'
import type { FirstRun } from '../../packages/sallyport/src/roles/first-run-file.ts'
import { sendOne } from '../demo/traffic.ts'

export interface Picture {
  readonly name: string
  readonly url: string
  readonly scheme?: 'light' | 'dark'
  /** As wide as a telephone. */
  readonly narrow?: boolean
  /** How tall it may be, pixels; as tall as a window unless given. */
  readonly heightMax?: number
  readonly prepare?: (page: Page) => Promise<void>
}

export interface Demo {
  readonly firstRun: FirstRun
  readonly site: Site
  readonly project: Project
  readonly researcher: Hacker
  /** A request that the firewall saw something in, and one that a block rule refused. */
  readonly attack: string
  readonly refused: string
}

const WINDOW = 'gte=now-15m'
const TALL = 1_500

export async function readDemo(firstRun: FirstRun): Promise<Demo> {
  const ask = async <Answer>(path: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${firstRun.apiKey}` }
    const answer = await fetch(`${firstRun.controlUrl}/api/${path}`, { headers })
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`)
    return (await answer.json()) as Answer
  }
  const first = async <Item>(path: string): Promise<Item> => {
    const { items } = await ask<{ items: Item[] }>(path)
    const [item] = items
    if (item === undefined) throw new Error(`the demo has nothing yet for ${path}`)
    return item
  }
  const sites = await ask<Site[]>('sites')
  const site = sites.find((one) => one.isActive && one.instructions !== '')
  if (!site) throw new Error('the demo has no site yet')
  return {
    firstRun,
    site,
    project: await first<Project>('Projects'),
    researcher: await first<Hacker>('Hackers?search=recon'),
    attack: (
      await first<{ id: string }>(
        `Analytics/requests?severity=critical&severity=high&path=/search&site=${site.id}`,
      )
    ).id,
    refused: (await first<{ id: string }>(`Analytics/requests?outcome=block&path=/admin&site=${site.id}`)).id,
  }
}

/** The pages of the console, most as its owner sees them. */
export function consolePictures({
  firstRun,
  site,
  project,
  researcher,
  attack,
  refused,
}: Demo): readonly Picture[] {
  const start = `${firstRun.controlUrl.replace('127.0.0.1', 'localhost')}/console/`
  const signedIn =
    (act?: (page: Page) => Promise<void>) =>
    async (page: Page): Promise<void> => {
      await signIn(page, firstRun)
      await act?.(page)
    }
  const at = (name: string, path: string, rest: Partial<Picture> = {}): Picture => ({
    name,
    url: start + path,
    heightMax: TALL,
    ...rest,
    prepare: signedIn(rest.prepare),
  })
  const click = (name: string) => async (page: Page) => page.getByRole('button', { name }).first().click()
  const siteTab = (tab: string, rest?: Partial<Picture>) => at(`site-${tab}`, `sites/${site.id}/${tab}`, rest)
  return [
    { name: 'sign-in', url: start },
    at('overview', `?${WINDOW}`),
    at('overview-dark', `?${WINDOW}`, { scheme: 'dark' }),
    at('overview-narrow', `?${WINDOW}`, { narrow: true }),
    at('setup', 'setup'),
    at('sites', 'sites'),
    ...['settings', 'access', 'words', 'definition', 'coverage', 'traffic'].map((tab) => siteTab(tab)),
    siteTab('blocks', {
      prepare: async (page) =>
        page.getByLabel('Target of the tested request').fill('/..%2f%61DMIN/users?id=1'),
    }),
    siteTab('firewall'),
    at('traffic', `traffic?${WINDOW}`, { heightMax: 800 }),
    at('traffic-dark', `traffic?${WINDOW}`, { scheme: 'dark', heightMax: 800 }),
    at('traffic-narrow', `traffic?${WINDOW}`, { narrow: true, heightMax: 844 }),
    at('traffic-live', 'traffic?live=true', { heightMax: 800 }),
    at('request', `traffic?${WINDOW}&request=${attack}`, { heightMax: 1_000 }),
    at('request-refused', `traffic?${WINDOW}&outcome=block&request=${refused}`, { heightMax: 800 }),
    at('firewall', `firewall?${WINDOW}`),
    at('exclusion', `traffic?${WINDOW}&request=${attack}`, {
      heightMax: 900,
      prepare: async (page) => {
        await page
          .getByRole('button', { name: /^(Make an exclusion|Exclude these)/ })
          .first()
          .click()
        await page.getByRole('button', { name: 'Try it on recorded traffic' }).click()
      },
    }),
    at('researchers', 'researchers'),
    at('researcher', `researchers/${researcher.id}`),
    at('invite', 'researchers', { prepare: click('Invite') }),
    at('projects', 'projects'),
    at('project', `projects/${project.id}`),
    ...['members', 'keys', 'notifications', 'billing', 'credits', 'audit'].map((tab) =>
      at(`organization-${tab}`, `organization/${tab}`, { heightMax: 800 }),
    ),
    at('palette', '', { prepare: async (page) => page.keyboard.press('/') }),
    at('stop-everything', '', { prepare: click('Stop everything') }),
  ]
}

/** What a researcher sees on the gate's own host. */
export function researcherPictures({ firstRun, site }: Demo): readonly Picture[] {
  const { port } = new URL(firstRun.gatewayUrl)
  const url = `http://sallyport.gate.localhost:${port}/sites/${site.id}`
  /** Signs in where nobody is yet, and waits for what is there then. */
  const arrive = async (page: Page, title: string) => {
    const heading = page.getByRole('heading', { name: title })
    const button = page.getByRole('button', { name: 'Sign in' })
    await button.or(heading).first().waitFor()
    if ((await button.count()) > 0) {
      await page.getByLabel('Key').fill(firstRun.researcher.key)
      await button.click()
    }
    await heading.waitFor()
  }
  const open = async (page: Page) => {
    await arrive(page, site.gatedName)
    for (const target of ['/products', '/search?q=lantern', '/x/..%2fadmin', '/admin', '/products/3'])
      await sendOne(firstRun.gatewayUrl, target, {
        host: site.gatedName,
        'sallyport-key': firstRun.researcher.key,
      })
    await page.reload()
    await page.getByText('Refused: block rule').first().waitFor()
  }
  const home = `http://sallyport.gate.localhost:${port}/`
  return [
    { name: 'researcher-sign-in', url: home },
    { name: 'researcher-page', url, heightMax: TALL, prepare: open },
    { name: 'researcher-page-dark', url, heightMax: TALL, scheme: 'dark', prepare: open },
    { name: 'researcher-page-narrow', url, heightMax: 2_000, narrow: true, prepare: open },
    { name: 'researcher-sites', url: home, prepare: (page) => arrive(page, 'Your sites') },
    // Not a token of anybody's: the page asks before it shows it to the gate.
    { name: 'researcher-invitation', url: `${home}invitation#token=${'x'.repeat(32)}` },
  ]
}

/** New tabs go through the sign-in once; later ones are let through by the issuer. */
async function signIn(page: Page, { email, password }: FirstRun): Promise<void> {
  const areas = page.locator('nav[aria-label="Areas"]')
  const field = page.locator('input[name="email"]')
  await areas.or(field).first().waitFor({ state: 'attached' })
  if ((await field.count()) > 0) {
    await field.fill(email)
    await page.locator('input[name="password"]').fill(password)
    await page.keyboard.press('Enter')
  }
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
