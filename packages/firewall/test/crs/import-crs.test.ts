import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { rewriteRegex } from '../../src/crs/regex-rewriting.ts'
import { parseSecLang } from '../../src/crs/seclang.ts'
import {
  createEngine,
  importCrs,
  maintainedRules,
  NoCrsRulesError,
  ownRules,
  parseRuleSet,
} from '../../src/index.ts'
import { attackFamilyCases, corpusMissing, inspect, requestOf } from '../support/corpus.ts'
import { get, post } from '../support/requests.ts'

const DEBIAN_DIRECTORY = '/usr/share/modsecurity-crs'
const directoryMissing = existsSync(DEBIAN_DIRECTORY) ? undefined : `no rule set in ${DEBIAN_DIRECTORY}`

const rule = (id: number, text: string, more = '') =>
  `SecRule ${text} \\\n    "id:${id},phase:2,block,msg:'Rule ${id}',tag:'attack-sqli',severity:'CRITICAL'${more}"\n`

/** Imports one file of rules from a temporary directory. */
function imported(conf: string, files: Readonly<Record<string, string>> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'crs-'))
  try {
    mkdirSync(join(directory, 'rules'))
    for (const [name, text] of Object.entries({ 'REQUEST-942.conf': conf, ...files }))
      writeFileSync(join(directory, 'rules', name), text)
    return importCrs(directory, { paranoia: 1 })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const outcome = (conf: string) =>
  imported(conf).report.map(({ id, outcome: what, reason }) => `${id} ${what} ${reason}`.trim())

test('reads rules over several lines, with quotes, comments, selectors and chains', () => {
  const [first, ...others] = parseSecLang(
    `# a comment\nSecMarker "END"\nSecRule ARGS|!ARGS:/^a|b$/|REQUEST_HEADERS:User-Agent "@rx \\"quoted, text\\"" \\\n  "id:1,t:none,t:lowercase,msg:'one, two',chain"\n  SecRule MATCHED_VARS "!@pm a b" "t:none"\n`,
  )
  assert.equal(others.length, 0)
  assert.deepEqual(
    first?.variables.map((variable) => `${variable.negated} ${variable.collection} ${variable.selector}`),
    ['false ARGS ', 'true ARGS /^a|b$/', 'false REQUEST_HEADERS User-Agent'],
  )
  assert.deepEqual(first?.operator, { negated: false, name: 'rx', argument: '"quoted, text"' })
  assert.deepEqual(
    first?.chained.map((link) => link.operator),
    [{ negated: true, name: 'pm', argument: 'a b' }],
  )
})

test('rewrites what RE2 says differently, and refuses what it cannot say', () => {
  assert.deepEqual(rewriteRegex('(?>a++)b{2,4000}\\Z'), { regex: '(?s)(?:a+)b{2,1000}\\z' })
  assert.deepEqual(rewriteRegex('[\\xe2\\x80\\x99]'), { regex: '(?s)[\\x{2019}]' })
  assert.match(JSON.stringify(rewriteRegex('a(?!b)')), /looks around/)
  assert.match(JSON.stringify(rewriteRegex('(a)\\1')), /refers back/)
  assert.deepEqual(rewriteRegex('[(?!]\\\\1'), { regex: '(?s)[(?!]\\\\1' })
  assert.deepEqual(rewriteRegex('char\\(?|x'), { regex: '(?s)char\\(?|x' })
})

test('says of each rule what became of it, and why', () => {
  assert.deepEqual(
    outcome(
      rule(1, 'ARGS "@rx union"') +
        rule(2, 'ARGS "@rx a(?=b)"') +
        rule(3, 'ARGS "@rx x"', ",tag:'paranoia-level/2'") +
        rule(4, 'ARGS "@validateByteRange 1-255"') +
        rule(5, 'GEO:COUNTRY "@streq X"') +
        rule(6, 'ARGS "@pmFromFile absent.data"') +
        rule(7, 'ARGS "!@rx ^[a-z]+$"') +
        'SecRule TX:PARANOIA "@lt 2" "id:8,phase:1,pass,nolog,skipAfter:END"\n',
    ),
    [
      '1 taken',
      '2 refused the expression looks around, which RE2 cannot',
      '3 other of paranoia level 2',
      '4 refused there is no operator like @validateByteRange here',
      '5 refused there is nothing like GEO here',
      '6 refused the file absent.data cannot be read',
      '7 refused matches every value that is not as it should be',
      '8 other controls the flow of rules',
    ],
  )
  assert.throws(() => importCrs(join(tmpdir(), 'no-such-directory'), { paranoia: 1 }), NoCrsRulesError)
})

test('a file of which no rule can be taken is reported like any other', () => {
  assert.deepEqual(outcome('SecRuleEngine On\n'), [])
  assert.match(outcome(rule(9, 'ARGS "@rx ("')).join(), /^9 refused ./)
})

test('REQUEST_BODY of XML has the names of elements and attributes', async () => {
  const { ruleSet } = imported(rule(20, 'REQUEST_BODY "@rx needle"'))
  const engine = createEngine([parseRuleSet(JSON.stringify(ruleSet))])
  for (const body of ['<a><needle/></a>', '<a needle="b"/>', '<a><b>needle</b></a>'])
    assert.equal((await inspect(engine, post('application/xml', body))).hits.length, 1, body)
})

test('what it makes works: phrases, exceptions, chains, transformations', async () => {
  const conf =
    rule(
      10,
      'ARGS|REQUEST_COOKIES|!REQUEST_COOKIES:/^skip/ "@pmFromFile words.data"',
      ',t:none,t:lowercase',
    ) +
    `SecRule ARGS "@rx left" "id:11,phase:2,msg:'m',severity:'ERROR',tag:'attack-xss',chain"\n SecRule MATCHED_VARS "@rx right"\n` +
    `SecRule ARGS_NAMES "@streq sid" "id:12,phase:2,msg:'m',severity:'CRITICAL',tag:'attack-fixation',chain"\n SecRule REQUEST_HEADERS:Referer "@rx ^https?://(.*?)/" "capture,chain"\n SecRule TX:1 "!@endsWith %{request_headers.host}"\n`
  const { ruleSet } = imported(conf, { 'words.data': '# words\nDanger Zone\n' })
  const engine = createEngine([parseRuleSet(JSON.stringify(ruleSet))])
  const hits = async (target: string, headers = {}) =>
    (await inspect(engine, get(target, headers))).hits.map((hit) => `${hit.rule} ${hit.severity}`)
  assert.deepEqual(await hits('/?a=the%20danger%20ZONE'), ['owasp-crs-10 critical'])
  assert.deepEqual(await hits('/', { Cookie: 'skipped=danger zone' }), [])
  assert.deepEqual(await hits('/', { Cookie: 'other=danger zone' }), ['owasp-crs-10 critical'])
  assert.deepEqual(await hits('/?a=left&b=right'), [])
  assert.deepEqual(await hits('/?a=left+right'), ['owasp-crs-11 high'])
  assert.deepEqual(await hits('/?sid=1', { Referer: 'https://shop.example/x' }), [])
  assert.deepEqual(await hits('/?sid=1', { Referer: 'https://evil.example/x' }), ['owasp-crs-12 critical'])
  assert.deepEqual((await inspect(engine, post('text/plain', 'danger zone'))).hits.length, 1)
})

for (const paranoia of [1, 4] as const)
  test(`takes Debian's rule set at paranoia level ${paranoia}, and finds what its rules are tested with`, {
    skip: directoryMissing ?? corpusMissing ?? false,
  }, async (context) => {
    const { ruleSet, report } = importCrs(DEBIAN_DIRECTORY, { paranoia })
    const ours = report.filter(
      ({ file, outcome: what }) => /^REQUEST-9(?:3|4[0-4])/.test(file) && what !== 'other',
    )
    const taken = ours.filter((line) => line.outcome === 'taken').length
    const ids = new Set(ruleSet.rules.map(({ id }) => id))
    // As an installation runs it: the imported set beside the default rules.
    const engine = createEngine([maintainedRules(), ownRules(), ruleSet])
    const counts = { tests: 0, found: 0, byImportedRules: 0 }
    for (const item of attackFamilyCases()) {
      const expected = item.expect.map((id) => `owasp-crs-${id}`)
      if (expected.length === 0 || !expected.every((id) => ids.has(id))) continue
      const rules = (await inspect(engine, requestOf(item))).hits.map((hit) => hit.rule)
      const attacks = rules.filter((id) => !/^owasp-crs-92/.test(id))
      counts.tests++
      if (attacks.length > 0) counts.found++
      if (attacks.some((id) => id.startsWith('owasp-crs-'))) counts.byImportedRules++
    }
    context.diagnostic(`${taken} of ${ours.length} rules taken; ${JSON.stringify(counts)}`)
    assert.ok(taken / ours.length >= 0.9)
    assert.ok(counts.found / counts.tests >= 0.95, JSON.stringify(counts))
  })
