import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { AUDIT_ACTIONS, type AuditEntry } from '@sallyport/contract'
import { auditSentence } from '../../../src/parts/audit/audit-sentence.ts'
import { entry } from './entry.ts'

const nameOf = (kind: string, id: string) =>
  kind === 'site' && id === 'site-1' ? 'shop.gate.localhost' : undefined
const say = (action: string, given?: Partial<AuditEntry>) => auditSentence(entry(action, given), nameOf)

test('every action has a sentence, and none falls back to its raw name', () => {
  for (const action of AUDIT_ACTIONS) {
    const words = say(action)
    assert.ok(words.length > 5 && !words.includes(action), `${action}: ${words}`)
    assert.doesNotMatch(words, /undefined|\[object|no words for/)
  }
})

test('the list has every action that the control plane records, and no other', () => {
  const source = resolve(import.meta.dirname, '../../../../control/src')
  const text = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n')
  // Those that are put together of an area and an act.
  const made = ['hacker', 'destination', 'gateway'].filter((area) => text.includes(`\`${area}.\${`))
  const missing = AUDIT_ACTIONS.filter(
    (action) => !text.includes(`'${action}'`) && !made.includes(action.split('.')[0] ?? ''),
  )
  assert.deepEqual(missing, [])
})

test('a sentence names what was added, from what and of what', () => {
  const rules = (...paths: string[]) =>
    JSON.stringify(paths.map((pathPrefix, id) => ({ id: `${id}`, pathPrefix })))
  const change = { before: { blockList: rules('/admin') }, after: { blockList: rules('/admin', '/reports') } }
  assert.equal(say('site.setBlockList', change), 'added /reports to the block rules of shop.gate.localhost')
  assert.equal(
    say('site.setBlockList', { before: change.after, after: change.before }),
    'removed /reports from the block rules of shop.gate.localhost',
  )
  assert.equal(
    say('site.setFirewall', { before: { mode: 'observe' }, after: { mode: 'enforce' } }),
    'set the firewall of shop.gate.localhost to enforce',
  )
  assert.equal(
    say('site.update', { before: { stopDate: 'a' }, after: { stopDate: 'b' } }),
    'changed shop.gate.localhost: the closing time',
  )
  assert.equal(
    say('hacker.pause', { before: [{ email: 'a@x.com' }, { email: 'b@x.com' }], after: { action: 'pause' } }),
    'paused a@x.com and b@x.com',
  )
})

test('each part of the firewall has its words', () => {
  const set = (before: unknown, after: unknown) => say('site.setFirewall', { before, after })
  const rule = (mode: string) => ({ definition: { mode, undeclaredParameters: false } })
  const of = 'the API definition as a rule of shop.gate.localhost'
  assert.equal(set({}, rule('enforce')), `set ${of} to enforce`)
  assert.equal(set(rule('enforce'), {}), `set ${of} to off`)
  const strict = { definition: { mode: 'observe', undeclaredParameters: true } }
  assert.equal(set(rule('observe'), strict), `changed ${of}`)
  assert.match(set({ level: 'strict' }, {}), /^set the level .* by default$/)
  assert.match(set({}, { uninspected: 'refuse' }), /could not be inspected/)
})

test('what has no name is said once, and an item of a project has its name', () => {
  const of = (kind: string, given: Partial<AuditEntry> = {}) => ({ target: { kind, id: '7' }, ...given })
  assert.equal(
    say('savedView.update', of('savedView', { after: { isShared: true } })),
    'changed the view 7: is shared',
  )
  assert.equal(say('projectItem.create', of('projectItem')), 'added the item 7 to a project')
  const set = {
    before: { name: 'Login', state: 'not_started' },
    after: { name: 'Login', state: 'in_progress' },
  }
  assert.equal(say('projectItem.setCheck', of('projectItem', set)), 'set the check Login to in progress')
  const due = { before: { name: 'Login', dueDate: null }, after: { name: 'Login', dueDate: '2026-12-18' } }
  assert.equal(say('projectItem.setCheck', of('projectItem', due)), 'changed the check Login: due date')
  const item = { before: { item: null, project: { name: 'P' } }, after: { item: { name: 'Login' } } }
  assert.equal(say('projectItem.create', of('projectItem', item)), 'added the item Login to a project')
  for (const action of AUDIT_ACTIONS)
    for (const kind of ['project', 'projectItem', 'member', 'apiKey', 'siteGroup', 'savedView'])
      assert.doesNotMatch(say(action, of(kind)), /\b(an? |the )(\w+ )?(\w+) an? \3/)
})

test('what is deleted keeps the name it had, and hostile names reorder nothing', () => {
  const gone = { target: { kind: 'site', id: 'gone' }, before: { gatedName: 'old.gate.localhost' } }
  assert.equal(say('site.delete', gone), 'removed old.gate.localhost')
  assert.equal(say('site.disable', { target: { kind: 'site', id: 'gone' } }), 'closed a site gone')
  const hostile = { target: { kind: 'hacker', id: 'h' }, after: { email: 'a\u202eb' } }
  assert.equal(say('hacker.create', hostile), 'invited a\ufffdb')
  for (const blockList of ['not json', '{}', 'null', 7, [null, 1]])
    assert.match(
      say('site.setBlockList', { before: { blockList }, after: { blockList } }),
      /changed the block/,
    )
  assert.equal(say('constructor'), 'performed an action that this console does not know')
})
