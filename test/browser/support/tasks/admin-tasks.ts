/** The tasks of an admin's day, as somebody does them from the first page on: each with its number of clicks and keys. */
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import type { Site } from '@sallyport/contract'
import { verifyPack } from '@sallyport/control'
import type { Locator } from 'playwright-core'
import { eventually } from '../../../support/installation.ts'
import type { ConsoleUnderTest } from '../console.ts'

/** Each in at most so many clicks or keys after signing in. */
export const ACTS_MAX = 4

/** What somebody does at the page: everything is counted. */
class Acts {
  count = 0
  readonly #it: ConsoleUnderTest
  constructor(it: ConsoleUnderTest) {
    this.#it = it
  }
  async click(what: Locator): Promise<void> {
    this.count += 1
    await what.click()
  }
  async press(key: string): Promise<void> {
    this.count += 1
    await this.#it.page.keyboard.press(key)
  }
  /** An area of the side bar. */
  area = (name: string): Promise<void> =>
    this.click(
      this.#it.page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name, exact: true }),
    )
}

export interface TaskParts {
  readonly it: ConsoleUnderTest
  /** Of the site with everything in it, and another. */
  readonly shop: Site
  readonly broken: Site
  /** The beginning of the target of a request that several rules matched, and the researcher's name as it shows. */
  readonly attack: string
  readonly researcher: RegExp
}

type Task = (acts: Acts, parts: TaskParts) => Promise<void>

/** Who caused the 5xx, by name. */
const findWhoCausedErrors: Task = async (acts, { it, researcher }) => {
  await acts.click(it.page.getByRole('link', { name: /^Server errors/ }))
  await it.page.getByRole('row', { name: researcher }).first().waitFor()
}

/** What changed at a moment, and who changed it. */
const tellWhatChanged: Task = async (acts, { it }) => {
  await acts.area('Traffic')
  await acts.click(it.page.getByRole('button', { name: /: changed the firewall, shop\.gate/ }).first())
  // Both sides of the moment are open, and the mark says the rest.
  await it.page.waitForURL(/gte=20\d\d-.*lte=20\d\d-/)
  await it.page
    .getByRole('button', { name: /: changed the firewall, shop\.gate/ })
    .first()
    .waitFor()
}

/** At the site whose request is the newest. */
const excludeFalseAlarm: Task = async (acts, { it, broken, attack }) => {
  const path = `/api/Sites/${broken.id}/firewall`
  const exclusions = async () =>
    (await it.installation.api<{ exclusions: unknown[] }>('GET', path)).body.exclusions.length
  assert.equal(await exclusions(), 0)
  await acts.area('Traffic')
  await acts.click(it.page.getByRole('gridcell', { name: attack }).first())
  await it.page
    .getByText(/^\d+ rules$/)
    .first()
    .waitFor()
  await acts.press('x')
  await acts.click(it.page.getByRole('dialog').getByRole('button', { name: /^Save \d+ exclusions$/ }))
  await it.page.getByText('The exclusions are in force.').waitFor()
  assert.ok((await exclusions()) > 1)
  await it.page.getByRole('button', { name: 'Undo' }).click()
  await it.page.getByText('Undone.').waitFor()
}

const stopAtOneSite: Task = async (acts, { it, shop, broken, researcher }) => {
  const { page, installation } = it
  await acts.area('Researchers')
  // The page before, which names them, too, stands until this one has come.
  await page.getByRole('heading', { name: 'Researchers', level: 1 }).waitFor()
  await acts.click(page.getByRole('link', { name: researcher }).first())
  await acts.click(page.getByRole('button', { name: `Stop here: ${shop.gatedName}` }))
  await acts.click(page.getByRole('dialog').getByRole('button', { name: 'Stop at this site' }))
  await page.getByText('may not enter').first().waitFor()
  await eventually(async () => (await installation.gate(shop.gatedName, '/')).status === 403)
  assert.notEqual((await installation.gate(broken.gatedName, '/')).status, 403, 'elsewhere they go on')
  await page.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => (await installation.gate(shop.gatedName, '/')).status === 200)
}

/** What was tested of what was ordered, in a file that an auditor checks. */
const proveWhatWasTested: Task = async (acts, { it, shop }) => {
  const { page, installation } = it
  const name = 'Spring test'
  const { body: project } = await installation.api<{ id: string }>('POST', '/api/Projects', { name })
  const { body: item } = await installation.api<{ id: string }>('PUT', '/api/Projects/updateProjectItem', {
    name: 'Search',
    projectId: project.id,
  })
  const check = await installation.api('PUT', `/api/Projects/items/${item.id}/check`, {
    state: 'passed',
    ties: [{ siteId: shop.id }],
  })
  assert.equal(check.status, 200)
  const saved = page.waitForEvent('download')
  await acts.area('Projects')
  await acts.click(page.getByRole('link', { name }))
  await acts.click(page.getByRole('button', { name: 'Evidence' }))
  const { problems, manifest } = await verifyPack(createReadStream(await (await saved).path()))
  assert.deepEqual([problems, manifest?.project?.name], [[], name])
}

/** By what somebody wants to know or do. */
export const ADMIN_TASKS: readonly (readonly [what: string, task: Task])[] = [
  ['find who caused the 5xx', findWhoCausedErrors],
  ['tell what changed at a moment', tellWhatChanged],
  ['exclude a false alarm of several rules', excludeFalseAlarm],
  ['stop one researcher on one site', stopAtOneSite],
  ['prove to an auditor what was tested', proveWhatWasTested],
]

/** Does a task from the first page on; answers how many clicks and keys it took. */
export async function actsOf(task: Task, parts: TaskParts): Promise<number> {
  await parts.it.visit('/')
  const acts = new Acts(parts.it)
  await task(acts, parts)
  return acts.count
}
