/**
 * How faithful the import of OWASP CRS is: the same requests of the regression corpus go to nginx with ModSecurity 3 and
 * Debian's CRS, and to this firewall with the same directory imported and nothing else. A test counts where the real
 * rule set fires the rule that the test is for (Debian's directory is older than the corpus, so for many tests it does
 * not); it is found where the imported rule of the same id fires.
 *
 * Fails where fewer than 95 of 100 of them are found. `--misses` lists what is not found, `--extra` which rules fire here and not there.
 */
import { createEngine, type Engine, importCrs } from '@sallyport/firewall'
import { headerOf } from '../packages/firewall/src/request/head-values.ts'
import {
  attackFamilyCases,
  type CorpusCase,
  corpusMissing,
  inspect,
  requestOf,
  type TestRequest,
} from '../packages/firewall/test/support/corpus.ts'
import { wireBytes } from '../packages/firewall/test/support/wire.ts'
import { freePorts } from '../test/support/loopback.ts'
import { CRS_DIRECTORY, requireModSecurity, startDetector } from './support/modsecurity.ts'
import { requirePrograms } from './support/programs.ts'

const FAMILIES = /^9(?:3\d|4[0-4])/
const PREFIX = 'owasp-crs-'
const FOUND_MIN = 0.95
/** The name that the tests ask for; rules look at it. */
const OWN = ['Host: localhost']

requirePrograms('nginx')
requireModSecurity()
if (corpusMissing !== undefined) {
  console.error(corpusMissing)
  process.exit(1)
}
const [port] = await freePorts(1)
if (port === undefined) throw new Error('there is no free port')
for (const paranoia of [1, 4] as const) await compare(port, paranoia)

/** What both sides found, in numbers, and where they differ. */
interface Comparison {
  /** Rules that tests are for; of these, fired by the real rule set; of these, taken, and fired here. */
  wanted: number
  wantedReal: number
  wantedTaken: number
  wantedHere: number
  /** Every rule that fired on any request. */
  hitsReal: number
  hitsHere: number
  hitsBoth: number
  readonly missed: Map<number, string[]>
  readonly extra: Map<number, string[]>
}

async function compare(port: number, paranoia: 1 | 4): Promise<void> {
  const { ruleSet, report } = importCrs(CRS_DIRECTORY, { paranoia })
  const requestRules = report.filter(({ id, outcome }) => FAMILIES.test(id) && outcome !== 'other')
  const taken = new Set(ruleSet.rules.map(({ id }) => Number(id.slice(PREFIX.length))))
  const comparison: Comparison = {
    wanted: 0,
    wantedReal: 0,
    wantedTaken: 0,
    wantedHere: 0,
    hitsReal: 0,
    hitsHere: 0,
    hitsBoth: 0,
    missed: new Map(),
    extra: new Map(),
  }
  const engine = createEngine([ruleSet])
  const detector = await startDetector(port, paranoia)
  try {
    for (const item of attackFamilyCases()) {
      const request = withContentType(requestOf(item))
      const real = await detector.fired(wireBytes(request, OWN))
      add(comparison, item, taken, ofFamilies(real), await firedHere(engine, request))
    }
  } finally {
    await detector.stop()
    engine.dispose()
  }
  const takenCount = requestRules.filter(({ outcome }) => outcome === 'taken').length
  console.log(`paranoia level ${paranoia}`)
  print(comparison, share(takenCount, requestRules.length))
  if (comparison.wantedHere < FOUND_MIN * comparison.wantedReal) process.exitCode = 1
}

function add(
  comparison: Comparison,
  item: CorpusCase,
  taken: ReadonlySet<number>,
  real: ReadonlySet<number>,
  here: ReadonlySet<number>,
): void {
  for (const id of item.expect.filter((each) => FAMILIES.test(String(each)))) {
    comparison.wanted++
    if (!real.has(id)) continue
    comparison.wantedReal++
    if (taken.has(id)) comparison.wantedTaken++
    if (here.has(id)) comparison.wantedHere++
  }
  for (const id of real) {
    comparison.hitsReal++
    if (here.has(id)) comparison.hitsBoth++
    else note(comparison.missed, id, item)
  }
  for (const id of here) {
    comparison.hitsHere++
    if (!real.has(id)) note(comparison.extra, id, item)
  }
}

function print(comparison: Comparison, taken: string): void {
  const { wanted, wantedReal, wantedTaken, wantedHere, hitsReal, hitsHere, hitsBoth } = comparison
  const line = (name: string, text: string): void => console.log(`  ${name.padEnd(56)} ${text}`)
  line('rules about requests that the import takes', taken)
  line('rules that tests are for, fired by the real rule set', share(wantedReal, wanted))
  line('of these, fired here', share(wantedHere, wantedReal))
  line('of these, where the import took the rule', share(wantedHere, wantedTaken))
  line('every hit of the real rule set, by the same rule here', share(hitsBoth, hitsReal))
  line('every hit here, by the same rule of the real one', share(hitsBoth, hitsHere))
  if (process.argv.includes('--misses')) list('not found here', comparison.missed)
  if (process.argv.includes('--extra')) list('found only here', comparison.extra)
}

function share(part: number, whole: number): string {
  return `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`
}

function ofFamilies(ids: Iterable<number>): ReadonlySet<number> {
  return new Set([...ids].filter((id) => FAMILIES.test(String(id))))
}

async function firedHere(engine: Engine, request: TestRequest): Promise<ReadonlySet<number>> {
  const { hits } = await inspect(engine, request)
  return ofFamilies(hits.map(({ rule }) => Number(rule.slice(PREFIX.length))))
}

/** The corpus' own runner sends bodies without a Content-Type as forms, which the tests of bodies rely on. */
function withContentType(request: TestRequest): TestRequest {
  const { head, body } = request
  if (body.length === 0 || headerOf(head, 'content-type') !== '') return request
  const rawHeaders = [...head.rawHeaders, 'Content-Type', 'application/x-www-form-urlencoded']
  return { ...request, head: { ...head, rawHeaders } }
}

function note(into: Map<number, string[]>, id: number, item: CorpusCase): void {
  const list = into.get(id) ?? []
  list.push(
    `${item.rule}-${item.test} ${item.method} ${item.uri.slice(0, 200)} ${JSON.stringify(item.data ?? '').slice(0, 200)}`,
  )
  into.set(id, list)
}

function list(title: string, byRule: ReadonlyMap<number, readonly string[]>): void {
  console.log(`  ${title}:`)
  for (const [id, tests] of [...byRule].sort((one, other) => other[1].length - one[1].length)) {
    console.log(`    ${id}: ${tests.length}`)
    for (const test of tests.slice(0, 8)) console.log(`      ${test}`)
  }
}
