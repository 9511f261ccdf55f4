/**
 * Two people at the same thing: what somebody else saved since a form was opened stays, saved or undone; two texts that
 * cannot be put together are shown, and neither is lost.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type {
  Billing,
  BlockRule,
  FirewallSettings,
  ForwardingSettings,
  Hacker,
  Project,
  RecordSettings,
  Site,
} from '@sallyport/contract'
import { blockRule } from '../support/block-rule.ts'
import { eventually } from '../support/installation.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

const SHOP = 'shop.gate.localhost'

test('the console among other people', { skip: withoutChromium }, async (t) => {
  let it: ConsoleUnderTest
  let sitePath = ''
  let siteId = ''
  before(async () => {
    it = await openConsole()
    siteId = (await createSite(it.installation, SHOP, it.origin.url)).id
    sitePath = `/api/Sites/${siteId}`
  })
  after(() => it.close())
  const read = async <T>(path: string): Promise<T> => (await it.installation.api<T>('GET', path)).body
  const put = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status } = await it.installation.api(method, path, body)
    assert.ok(status < 300, `${method} ${path}: ${status}`)
  }
  const readRules = async (): Promise<readonly BlockRule[]> =>
    JSON.parse((await read<Site>(sitePath)).blockList)
  const saveRules = (rules: readonly BlockRule[]) =>
    put('POST', '/api/Sites/setBlockList', { id: siteId, blockList: JSON.stringify(rules) })
  const undo = async () => {
    await it.page.getByRole('button', { name: 'Undo' }).last().click()
    await it.page.getByText('Undone.').last().waitFor()
    await it.page.getByRole('button', { name: 'Close notice' }).last().click()
  }

  await t.test(
    'block rules keep those that somebody else added, and an undo takes back only its own',
    async () => {
      const { page } = it
      const [admin, private_, theirs] = [
        blockRule('a', '/admin'),
        blockRule('p', '/private'),
        blockRule('t', '/theirs'),
      ]
      await saveRules([admin, private_])
      await it.visit(`/sites/${siteId}/blocks`)
      await page.getByRole('button', { name: 'Remove rule 2' }).click()
      await page.getByRole('textbox', { name: 'Path' }).first().fill('/administration')
      await saveRules([{ ...admin, note: 'theirs' }, private_, theirs])
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Block rules saved.').waitFor()
      const mine = { ...admin, note: 'theirs', pathPrefix: '/administration' }
      assert.deepEqual(await readRules(), [mine, theirs])
      await eventually(async () => (await page.getByRole('textbox', { name: 'Path' }).count()) === 2)
      await saveRules([mine, theirs, blockRule('l', '/later')])
      await undo()
      assert.deepEqual(await readRules(), [
        { ...admin, note: 'theirs' },
        private_,
        theirs,
        blockRule('l', '/later'),
      ])
    },
  )

  await t.test('methods of a rule hold as they are typed', async () => {
    const { page } = it
    await saveRules([blockRule('a', '/admin')])
    await it.visit(`/sites/${siteId}/blocks`)
    await page.getByLabel('Methods').pressSequentially('post, put')
    await page.getByText('Not saved yet.').waitFor()
    assert.equal(await page.getByLabel('Methods').inputValue(), 'post, put')
    await page.getByLabel('Target of the tested request').fill('/admin')
    await page.getByText('Passes the block rules').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Block rules saved.').waitFor()
    assert.deepEqual((await readRules())[0]?.methods, ['POST', 'PUT'])
  })

  await t.test('a time is typed digit by digit', async () => {
    const { page } = it
    for (const [path, label] of [
      [`/sites/${siteId}/blocks`, 'Until'],
      [`/sites/${siteId}/settings`, 'Closes at'],
    ] as const) {
      await it.visit(path)
      await page.getByLabel(label).focus()
      await page.keyboard.type('2027-03-12 22:30')
      assert.equal(await page.getByLabel(label).inputValue(), '2027-03-12 22:30', label)
      // What is half typed stays as it is typed, whatever answers come meanwhile.
      await page.getByLabel(label).press('Backspace')
      await page.keyboard.type('1')
      assert.equal(await page.getByLabel(label).inputValue(), '2027-03-12 22:31', label)
    }
  })

  await t.test('of two texts neither is lost', async () => {
    const { page } = it
    await it.visit(`/sites/${siteId}/words`)
    const words = page.getByRole('textbox', { name: 'Instructions' })
    const save = page.getByRole('button', { name: 'Save' }).first()
    await words.fill('mine')
    await put('PATCH', sitePath, { instructions: 'theirs' })
    await save.click()
    const alert = page.getByRole('alert').filter({ hasText: 'Someone else saved this meanwhile' })
    await alert.getByText('theirs', { exact: true }).waitFor()
    assert.equal((await read<Site>(sitePath)).instructions, 'theirs')
    assert.equal(await words.inputValue(), 'mine')
    await alert.getByRole('button', { name: 'Keep mine' }).click()
    await save.click()
    await page.getByText('Instructions saved.').waitFor()
    assert.equal((await read<Site>(sitePath)).instructions, 'mine')
    await undo()
    assert.equal((await read<Site>(sitePath)).instructions, 'theirs')
    // Words that nobody touched here follow what is saved elsewhere.
    await put('PATCH', sitePath, { instructions: 'newer' })
    await eventually(async () => (await words.inputValue()) === 'newer', 30_000)
  })

  await t.test('settings of the firewall and the record are taken back one by one', async () => {
    const { page } = it
    const path = `${sitePath}/firewall`
    const exclusion = (id: string) => ({ id, rule: id, note: '' })
    await put('PUT', path, {
      mode: 'observe',
      overrides: [],
      exclusions: [exclusion('one'), exclusion('two')],
    })
    await it.visit(`/sites/${siteId}/firewall`)
    await page.getByRole('button', { name: 'Remove this exclusion' }).first().click()
    await page.getByText('The exclusion is removed.').waitFor()
    const override = { id: 'o', rule: 'x', mode: 'off', note: '' }
    await put('PUT', path, {
      mode: 'observe',
      overrides: [override],
      exclusions: [exclusion('two'), exclusion('three')],
    })
    await undo()
    const { overrides, exclusions } = await read<FirewallSettings>(path)
    assert.deepEqual(overrides, [override])
    assert.deepEqual(
      exclusions.map(({ id }) => id),
      ['one', 'two', 'three'],
    )

    const record = `${sitePath}/record`
    await it.visit(`/sites/${siteId}/settings`)
    await page.getByLabel('Query values').selectOption('mask')
    await page.getByText('Saved; it holds for requests from now on.').waitFor()
    await put('PUT', record, { ...(await read<RecordSettings>(record)), userAgent: 'drop' })
    await undo()
    const settings = await read<RecordSettings>(record)
    assert.deepEqual([settings.queryValues, settings.userAgent], ['keep', 'drop'])

    const forwarding = `${sitePath}/forwarding`
    await it.visit(`/sites/${siteId}/settings`)
    await page.getByLabel('Scripts take the rest of the path').click()
    await page.getByText('Saved; it holds for requests from now on.').waitFor()
    const mine = await read<ForwardingSettings>(forwarding)
    assert.deepEqual(mine.pathConventions, ['frontController'])
    const theirs = {
      ...mine,
      pathConventions: [...mine.pathConventions, 'nextJs'],
      passesKnownHeadersOnly: true,
      acceptsKeyAsPassword: true,
    }
    await put('PUT', forwarding, theirs)
    await undo()
    assert.deepEqual(await read(forwarding), { ...theirs, pathConventions: ['nextJs'] })
    await saveRules([blockRule('a', '/admin')])
    await it.visit(`/sites/${siteId}/blocks`)
    await page.getByLabel('Target of the tested request').fill('/_next/data/b/admin.json')
    await page.getByText('reading the target: page of Next.js data').waitFor()
  })

  await t.test('records that are saved as a whole keep the fields that somebody else changed', async () => {
    const { page, installation } = it
    await it.visit('/organization/billing')
    await page.getByLabel('City').fill('Mine')
    await put('POST', '/api/Billing', { ...(await read<Billing>('/api/Billing')), vat: 'THEIRS' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Billing details saved.').waitFor()
    const billing = await read<Billing>('/api/Billing')
    assert.deepEqual([billing.city, billing.vat], ['Mine', 'THEIRS'])
    await undo()
    const again = await read<Billing>('/api/Billing')
    assert.deepEqual([again.city, again.vat], ['', 'THEIRS'])

    const made = await installation.api<Project>('POST', '/api/Projects', { name: 'Test', owner: 'first' })
    const path = `/api/Projects/${made.body.id}`
    await it.visit(`/projects/${made.body.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Vendor').fill('mine')
    await put('PUT', path, { ...made.body, owner: 'theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The project is saved.').waitFor()
    const project = await read<Project>(path)
    assert.deepEqual([project.name, project.owner, project.vendor], ['Test', 'theirs', 'mine'])
    await put('PUT', path, { ...project, note: 'later' })
    await undo()
    const undone = await read<Project>(path)
    assert.deepEqual([undone.owner, undone.vendor, undone.note], ['theirs', null, 'later'])
  })

  await t.test('details stand as they were saved', async () => {
    const { page } = it
    await it.visit('/organization/details')
    const contact = page.getByLabel('Contact for researchers')
    await contact.fill('security@example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The details are saved.').waitFor()
    assert.equal(await contact.inputValue(), 'security@example.com')
    await undo()
    assert.equal(await contact.inputValue(), '')
  })

  await t.test(
    'who is stopped at one site is so only while its list is in force, and the undo leaves the list that was there',
    async () => {
      const { page, installation } = it
      const { id } = installation.firstRun.researcher
      const invited = await installation.api<Hacker>('POST', '/api/Hackers', { email: 'noor@example.com' })
      const ids = [id, invited.body.id].toSorted()
      const path = `${sitePath}/hackers`
      const putInForce = (allowedHackerType: boolean) =>
        put('POST', '/api/Sites/allowedHackerType', { id: siteId, allowedHackerType })
      const stop = page.getByRole('button', { name: `Stop here: ${SHOP}` })
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Stop at this site' })
      await put('PUT', path, { ids })
      await installation.gate(SHOP, '/')
      await it.visitUntil(`/researchers/${id}`, stop)

      await putInForce(true)
      await stop.click()
      await page.getByText('taken off its list').waitFor()
      await putInForce(false)
      await confirm.click()
      await page.getByText('Changed by someone else').waitFor()
      assert.deepEqual(await read(path), { siteId, hasCustomList: false, ids })
      await page.getByRole('button', { name: 'Close notice' }).last().click()

      await put('PUT', path, { ids: [id] })
      await stop.click()
      await page.getByText('Every active researcher may enter it now').waitFor()
      await confirm.click()
      await page.getByText(`They may not enter ${SHOP} any more.`).waitFor()
      assert.deepEqual(await read(path), { siteId, hasCustomList: true, ids: [invited.body.id] })
      await undo()
      assert.deepEqual(await read(path), { siteId, hasCustomList: false, ids: [id] })
    },
  )

  await t.test('nothing else went wrong', () => {
    assert.deepEqual(unexpected(it.browser.faults), [])
  })
})
