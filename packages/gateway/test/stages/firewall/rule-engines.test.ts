/** The rule sets of snapshots come into force while those before go on judging, whatever becomes of their preparation. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createEngine, type Engine, type RuleSet } from '@sallyport/firewall'
import { RuleEngines } from '../../../src/stages/firewall/rule-engines.ts'
import { TestSnapshots } from '../../support/test-data-plane.ts'

/** A rule set of one rule, both under this name. */
const ruleSet = (id: string) => {
  const parameters = { inputs: [{ address: 'server.request.query' }], regex: `^${id}$` }
  const rule = {
    id,
    name: id,
    tags: { type: 'xss', category: 'attack_attempt' },
    conditions: [{ operator: 'match_regex', parameters }],
  }
  return {
    type: 'put',
    kind: 'ruleSet',
    id,
    value: { id, name: id, rules: JSON.stringify({ rules: [rule] }) },
  } as const
}

/** Rule engines that prepare what is imported, and nothing else, when the test says so. */
function startedBy(context: TestContext, snapshots: TestSnapshots) {
  const waiting: { readonly imported: readonly RuleSet[]; readonly engine: PromiseWithResolvers<Engine> }[] =
    []
  const lines: string[] = []
  const starting = RuleEngines.start({
    snapshots,
    prepare(imported) {
      const engine = Promise.withResolvers<Engine>()
      waiting.push({ imported, engine })
      return engine.promise
    },
    log: (level, line) => lines.push(`${level}: ${line}`),
  }).then((engines) => {
    context.after(() => engines.close())
    return engines
  })
  const end = async (how: (engine: PromiseWithResolvers<Engine>, imported: readonly RuleSet[]) => void) => {
    // What was changed before is taken up in the next turn.
    await nextTurn()
    const [next] = waiting.splice(0, 1)
    assert.ok(next, 'nothing is being prepared')
    how(next.engine, next.imported)
    await nextTurn()
  }
  return {
    starting,
    lines,
    get preparing() {
      return waiting.length
    },
    succeed: () => end((engine, imported) => engine.resolve(createEngine(imported))),
    fail: () => end((engine) => engine.reject(new Error('no memory'))),
  }
}

/** Engines that judge by the rule set `one`. */
async function startedWithOne(context: TestContext) {
  const snapshots = new TestSnapshots()
  snapshots.apply(ruleSet('one'))
  const preparation = startedBy(context, snapshots)
  await preparation.succeed()
  return { snapshots, preparation, engines: await preparation.starting }
}

const rulesOf = ({ current }: RuleEngines): string[] => current.rules.map(({ id }) => id)

test('those before judge until others are prepared; of those that come meanwhile, the last ones are', async (context) => {
  const { snapshots, preparation, engines } = await startedWithOne(context)
  assert.deepEqual(rulesOf(engines), ['one'])
  assert.equal(engines.isReady, true)
  snapshots.apply(ruleSet('two'))
  snapshots.apply(ruleSet('three'))
  snapshots.apply(ruleSet('four'))
  assert.equal(preparation.preparing, 1)
  assert.deepEqual(rulesOf(engines), ['one'])
  await preparation.succeed()
  assert.deepEqual(rulesOf(engines), ['one', 'two'])
  await preparation.succeed()
  assert.deepEqual(rulesOf(engines), ['one', 'two', 'three', 'four'])
  snapshots.apply({ type: 'put', kind: 'installation', id: 'installation', value: { sessionKey: '' } })
  assert.equal(preparation.preparing, 0)
})

test('where they cannot be prepared, those before stay, and the next change is tried at once', async (context) => {
  const { snapshots, preparation, engines } = await startedWithOne(context)
  snapshots.apply(ruleSet('two'))
  await preparation.fail()
  assert.deepEqual(rulesOf(engines), ['one'])
  assert.match(preparation.lines.join(), /error: the firewall's rules cannot be prepared.*no memory/)
  assert.equal(preparation.preparing, 0)
  snapshots.apply(ruleSet('three'))
  await preparation.succeed()
  assert.deepEqual(rulesOf(engines), ['one', 'two', 'three'])
})

test('a gateway whose imported rules cannot be prepared starts with the others, and not without these', async (context) => {
  const snapshots = new TestSnapshots()
  snapshots.apply(ruleSet('one'))
  const preparation = startedBy(context, snapshots)
  await preparation.fail()
  await preparation.succeed()
  const engines = await preparation.starting
  assert.deepEqual(rulesOf(engines), [])
  // The imported ones once more, at once.
  await preparation.succeed()
  assert.deepEqual(rulesOf(engines), ['one'])

  const hopeless = startedBy(context, new TestSnapshots())
  const rejected = assert.rejects(hopeless.starting, /no memory/)
  await hopeless.fail()
  await hopeless.fail()
  await rejected
})

test('a gateway without a snapshot is ready when the rules of its first one are', async (context) => {
  const snapshots = new TestSnapshots()
  const preparation = startedBy(context, snapshots)
  await preparation.succeed()
  const engines = await preparation.starting
  assert.equal(engines.isReady, false)
  snapshots.apply(ruleSet('one'))
  assert.equal(engines.isReady, false)
  await preparation.fail()
  assert.equal(engines.isReady, true)
  snapshots.apply(ruleSet('two'))
  assert.equal(engines.isReady, true)
})
