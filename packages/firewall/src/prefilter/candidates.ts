/**
 * Which tests a value is worth: those of the conditions that look where it stands and may match in it. Of all others it is
 * certain that they do not match, so leaving them out changes no verdict.
 */
import { perObject } from '@sallyport/toolbox'
import { CONTAINER_ENTRIES_MAX } from '../native-engine.ts'
import { ADDRESSES, type AddressGroup, GROUPS } from '../request/addresses.ts'
import type { RequestValue } from '../request/request-value.ts'
import type { CompiledRules, EngineRule } from '../rules/compiled-rules.ts'
import type { Alarm } from './alarm.ts'
import { type Glance, UNSURE } from './automata/glance.ts'
import type { Matchers } from './automata/matchers.ts'
import { type ConditionTest, looksAt, testsOf } from './condition-tests.ts'
import {
  blurred,
  type Expression,
  letterExpression,
  parseExpression,
  UnknownSyntaxError,
} from './expressions/expression.ts'
import { readLetters } from './letters.ts'
import type { Prefilter } from './prefilter.ts'
import { compilingSource, type NamedPrefilter, type PrefilterSource } from './prefilter-source.ts'
import { type Transformation, transformationOf, UNCHANGED } from './transformations.ts'

/** A test, and the texts of a value in which it may match. */
export interface Candidate {
  readonly test: ConditionTest
  readonly texts: readonly string[]
  /** Another condition that must match in the same value, and seldom does: without it this one says nothing. */
  readonly after?: number
}

/** Decides what the engine is asked. */
export interface Candidates {
  /** By condition, its tests. */
  readonly tests: readonly (readonly ConditionTest[])[]
  /** Whether some condition looks at an address of the group. */
  isLookedAt(group: AddressGroup): boolean
  /** The tests that may match in a value, which is given as all that it may be decoded to. */
  of(value: RequestValue, texts: readonly string[]): readonly Candidate[]
  /** What a first glance says of a value: that it is worth none, unless it says something in base64, or that this is not sure. */
  glance(value: RequestValue): ReturnType<Glance>
}

/** The tests of one place in a request. */
interface Place {
  /** By condition. */
  readonly tests: readonly (readonly ConditionTest[])[]
  /** By condition, whether it has tests here. */
  readonly isTested: Uint8Array
  /** Tests of texts that are changed before: what the prefilter says of the text says nothing then. */
  readonly changing: readonly ChangingTests[]
  /** The signs of which each text has one that some of these change. */
  readonly changeSigns: number
  readonly always: readonly ConditionTest[]
  readonly partners: Partners
  /** Of all conditions, or of the few that look here. */
  readonly prefilter: Prefilter
  /** Of the conditions that look here. */
  readonly alarm: Alarm
  readonly matchers: Matchers
  /** Undefined where tests are made of every text. */
  readonly glance: Glance | undefined
}

/** Tests after the same transformation. */
interface ChangingTests {
  readonly transformation: Transformation
  /** Of the changed text, with an alarm for all that looks at it; undefined where that is not known. */
  readonly prefilter: PrefilterOfChanged | undefined
  readonly tests: readonly ConditionTest[]
  /** False only where none of them matches in any piece of a text; undefined where the prefilter of the place does not say that. */
  readonly ringsForPiece: ((text: string) => boolean) | undefined
}

interface PrefilterOfChanged extends Prefilter {
  readonly alarm: Alarm
  /** False only where the alarm does not ring for what is made of a text. */
  readonly ringsChanged: (text: string) => boolean
}

const placeKey = ({ key }: AddressGroup, name: string): string => (name === '' ? key : `${key} ${name}`)

/** By condition, what it asks for; read where a prefilter is compiled. */
type AskedFor = () => readonly (Expression | undefined)[]

/** Prepares the choice among the conditions of `compiled`, whose prefilters `source` makes. */
export function createCandidates(compiled: CompiledRules, source = compilingSource()): Candidates {
  const tests = compiled.engineRules.map(testsOf)
  let read: readonly (Expression | undefined)[] | undefined
  const expressions: AskedFor = () => {
    read ??= compiled.engineRules.map(expressionOf)
    return read
  }
  const prefilter = source('all', expressions)
  const partners = partnersOf(compiled, prefilter.always)
  const inputs = tests.flat().flatMap((test) => test.inputs)
  const lookedAt = new Set(inputs.map(({ address }) => address))
  const selected = new Set(inputs.flatMap(({ key_path }) => key_path ?? []))
  const matchers = prefilter.matchers()
  const places = makePlaces(placeMaker(source, tests, expressions, prefilter, partners, matchers), selected)
  const placeOf = ({ group, parameter }: RequestValue): Place => {
    const name = group.addresses[0] === ADDRESSES.header && selected.has(parameter) ? parameter : ''
    const place = places.get(name === '' ? group.key : placeKey(group, name))
    if (!place) throw new Error(`no rules are prepared for values of ${group.key}`)
    return place
  }
  return {
    tests,
    isLookedAt: perObject(({ addresses }) => addresses.some((address) => lookedAt.has(address))),
    of: (value, texts) => candidatesAt(placeOf(value), texts),
    glance: (value) => placeOf(value).glance?.(value.text) ?? UNSURE,
  }
}

/** By key of the group, or of the header that rules select. Made here and not by the first request that has a value there. */
function makePlaces(
  makePlace: (group: AddressGroup, name: string) => Place,
  selected: Iterable<string>,
): ReadonlyMap<string, Place> {
  return new Map([
    ...Object.values(GROUPS).map((group) => [group.key, makePlace(group, '')] as const),
    ...Array.from(
      selected,
      (name) => [placeKey(GROUPS.header, name), makePlace(GROUPS.header, name)] as const,
    ),
  ])
}

/** A phrase, without case. */
const phrase = (text: string): Expression => ({
  kind: 'sequence',
  parts: Array.from(text.toLowerCase(), letterExpression),
})

/** What must occur for a condition to match; undefined where that is not known. */
function expressionOf({ conditions: [condition] }: EngineRule): Expression | undefined {
  const { operator = '', parameters: { regex, list } = {} } = condition ?? {}
  if (operator === 'match_regex' && regex !== undefined) return parsed(regex)
  if (operator === 'phrase_match' && list) return { kind: 'choice', options: list.map(phrase) }
  // libinjection looks for tags, and for the values of attributes.
  if (operator === 'is_xss') return { kind: 'letter', codes: new Set([0x3c, 0x3d]) }
  return undefined
}

function parsed(regex: string): Expression | undefined {
  try {
    return parseExpression(regex)
  } catch (error) {
    if (error instanceof UnknownSyntaxError) return undefined
    throw error
  }
}

/**
 * By condition, the others that must hold in the same value for its rule, and which of them ask for nothing and so need not
 * be looked for: `^[^\n]{0,250}$` beside an expression that seldom matches.
 */
interface Partners {
  readonly others: readonly (readonly number[])[]
  readonly following: ReadonlySet<number>
}

function partnersOf(compiled: CompiledRules, always: readonly number[]): Partners {
  const others = compiled.conditions.map(({ index }) =>
    (compiled.rulesByCondition[index] ?? [])
      .filter(({ sameValue }) => sameValue)
      .flatMap(({ conditions }) => conditions.map((other) => other.index).filter((other) => other !== index)),
  )
  const isAlways = (condition: number): boolean => always.includes(condition)
  const following = always.filter((condition) => others[condition]?.some((other) => !isAlways(other)))
  return { others, following: new Set(following) }
}

/** Prefilters of changed texts, for the conditions that look at these. */
function prefiltersOfChanged(
  source: PrefilterSource,
  tests: readonly (readonly ConditionTest[])[],
  expressions: AskedFor,
): (transformation: Transformation) => PrefilterOfChanged | undefined {
  return perObject((transformation) => {
    const { name, apply, blurred: letters } = transformation
    if (!apply) return undefined
    const looksAtIt = (condition: number): boolean =>
      tests[condition]?.some(({ transformers }) => transformationOf(transformers) === transformation) === true
    const prefilter = source(`after ${name}`, () =>
      expressions().map((expression, condition) =>
        looksAtIt(condition) ? expression && blurred(expression, letters) : null,
      ),
    )
    return {
      ...prefilter,
      alarm: prefilter.alarmFor('all', () => tests.map((_, condition) => [condition])),
      ringsChanged: prefilter.squeezedAlarm(transformation.squeezing),
    }
  })
}

/** So few have a prefilter of their own, whose gates are few; for more it would be as large as that of all. */
const FEW_CONDITIONS = 32

/** Makes places: of the values of a group; of a header that rules select, with its `name`. */
function placeMaker(
  source: PrefilterSource,
  tests: readonly (readonly ConditionTest[])[],
  expressions: AskedFor,
  all: NamedPrefilter,
  partners: Partners,
  matchers: Matchers,
): (group: AddressGroup, name: string) => Place {
  const prefilters = prefiltersOfChanged(source, tests, expressions)
  const asksNothing = new Set(all.always.filter((condition) => !partners.following.has(condition)))
  const inKeys = conditionsInKeys(all)
  const looksAtTextsAsTheyAre = (condition: number): boolean =>
    tests[condition]?.every(({ transformers }) => transformationOf(transformers)?.changes === UNCHANGED) ===
    true
  return (group, name) => {
    const key = placeKey(group, name)
    const here = tests.map((all) =>
      all.filter(({ inputs }) => inputs.some((input) => looksAt(input, group, name))),
    )
    const ofTexts = here.map((all) => all.filter(({ transformers }) => !transformers.includes('keys_only')))
    const ofKeys = here.flat().filter(({ transformers }) => transformers.includes('keys_only'))
    const isKeyKnown = group.addresses[0] !== ADDRESSES.header
    const isFew = ofTexts.filter(({ length }) => length > 0).length <= FEW_CONDITIONS
    const prefilter = isFew
      ? source(`at ${key}`, () =>
          expressions().map((expression, index) => (ofTexts[index]?.length ? expression : null)),
        )
      : all
    const byTransformation = Map.groupBy(ofTexts.flat(), ({ transformers }) => transformationOf(transformers))
    const changing = [...byTransformation].flatMap(([transformation, changed]): ChangingTests[] =>
      transformation === undefined || transformation.changes === UNCHANGED
        ? []
        : [
            {
              transformation,
              prefilter: prefilters(transformation),
              tests: changed,
              ringsForPiece: ringsForPieceOf(transformation, prefilter, changed, key),
            },
          ],
    )
    const unknown = ofTexts
      .flat()
      .filter(({ transformers, condition }) => !transformationOf(transformers) || asksNothing.has(condition))
    const always = [...unknown, ...ofKeys.filter(({ condition }) => !isKeyKnown || inKeys.has(condition))]
    const changeSigns = changing.reduce((signs, { transformation }) => signs | transformation.signs, 0)
    const alarm = prefilter.alarmFor(key, () =>
      ofTexts.flatMap((own, condition) =>
        own.length === 0
          ? []
          : [[condition, ...(partners.others[condition] ?? []).filter(looksAtTextsAsTheyAre)]],
      ),
    )
    return {
      tests: ofTexts,
      isTested: Uint8Array.from(ofTexts, ({ length }) => (length > 0 ? 1 : 0)),
      changing,
      changeSigns,
      always,
      partners,
      prefilter,
      matchers,
      alarm,
      glance: always.length === 0 ? prefilter.glanceFor(alarm, changeSigns) : undefined,
    }
  }
}

/** What the prefilter of a place, which has read a text anyway, says of the pieces that a transformation leaves. */
function ringsForPieceOf(
  { name, leavesPiece }: Transformation,
  prefilter: NamedPrefilter,
  tests: readonly ConditionTest[],
  key: string,
): ((text: string) => boolean) | undefined {
  if (!leavesPiece || tests.some(({ condition }) => prefilter.always.includes(condition))) return undefined
  const alarm = prefilter.alarmFor(`${key}, pieces after ${name}`, () =>
    tests.map(({ condition }) => [condition]),
  )
  return (text) => prefilter.rings(alarm, text)
}

/** Values are shown under their number among those of a run: the conditions that may match in one. */
function conditionsInKeys(prefilter: Prefilter): ReadonlySet<number> {
  const keys = Array.from({ length: CONTAINER_ENTRIES_MAX }, (_, index) => String(index))
  return new Set([...prefilter.always, ...keys.flatMap((key) => [...prefilter.mayMatch(key)])])
}

function candidatesAt(place: Place, texts: readonly string[]): readonly Candidate[] {
  const { prefilter, matchers } = place
  matchers.begin()
  let found: Map<ConditionTest, string[]> | undefined
  // What must hold together may be in different ones of the texts.
  const isWorthIt = texts.some((text) => prefilter.rings(place.alarm, text))
  for (const text of texts) {
    if (place.always.length > 0) found = added(found, place.always, text)
    if (isWorthIt)
      for (const condition of matchers.thatMayMatch(prefilter.mayMatch(text, place.isTested), text))
        found = added(found, place.tests[condition] ?? NO_TESTS, text)
    const { signs } = readLetters(text)
    if ((signs & place.changeSigns) !== 0)
      for (const changing of place.changing) {
        if ((signs & changing.transformation.signs) === 0) continue

        const tests = testsOfChanged(changing, text, matchers)
        if (tests.length > 0) found = added(found, tests, text)
      }
  }
  return found ? withPartners(place, found, texts) : NONE
}

const NO_TESTS: readonly ConditionTest[] = []

/** The tests that may match in what a transformation makes of a text. */
function testsOfChanged(
  {
    transformation: { changes, apply, blurred: letters, leavesPiece },
    prefilter,
    tests,
    ringsForPiece,
  }: ChangingTests,
  text: string,
  matchers: Matchers,
): readonly ConditionTest[] {
  if (prefilter && !prefilter.ringsChanged(text)) return NO_TESTS
  if (ringsForPiece && leavesPiece?.(text) && !ringsForPiece(text)) return NO_TESTS
  if (!changes.test(text)) return NO_TESTS
  const result = apply?.(text)
  if (result === undefined || !prefilter) return tests
  if (prefilter.always.length === 0 && !prefilter.rings(prefilter.alarm, result)) return NO_TESTS
  const open = prefilter.mayMatch(result)
  const conditions = letters === '' ? matchers.thatMayMatch(open, result) : open
  if (prefilter.always.length === 0 && conditions.length === 0) return NO_TESTS
  return tests.filter(
    ({ condition }) => prefilter.always.includes(condition) || conditions.includes(condition),
  )
}

/** Notes tests of a text, each once. */
function added(
  found: Map<ConditionTest, string[]> | undefined,
  tests: readonly ConditionTest[],
  text: string,
): Map<ConditionTest, string[]> {
  const noted = found ?? new Map<ConditionTest, string[]>()
  for (const test of tests) {
    const known = noted.get(test)
    if (!known) noted.set(test, [text])
    else if (known.at(-1) !== text) known.push(text)
  }
  return noted
}

const NONE: readonly Candidate[] = []

/** Without the conditions of which another that must hold in the same value cannot; and with those that follow others. */
function withPartners(
  place: Place,
  found: ReadonlyMap<ConditionTest, readonly string[]>,
  texts: readonly string[],
): Candidate[] {
  const { others, following } = place.partners
  const conditions = new Set(Array.from(found.keys(), ({ condition }) => condition))
  const added = new Map<number, Candidate[]>()
  const candidates: Candidate[] = []
  for (const [test, own] of found) {
    const needed = others[test.condition] ?? []
    const followers = needed.filter((other) => following.has(other) && !conditions.has(other))
    // What only the engine can say is asked first.
    const decider = followers.find((other) => !place.matchers.has(other))
    for (const other of followers)
      if (!added.has(other))
        added.set(other, followersIn(place, other, texts).map(after(other === decider ? undefined : decider)))
    if (needed.every((other) => conditions.has(other) || (added.get(other)?.length ?? 0) > 0))
      candidates.push(after(decider)({ test, texts: own }))
  }
  if (candidates.length === 0) return candidates
  return [...candidates, ...Array.from(added.values()).flat()]
}

const after =
  (condition: number | undefined) =>
  (candidate: Candidate): Candidate =>
    condition === undefined ? candidate : { ...candidate, after: condition }

/** The tests of a condition that is asked only because others are. */
function followersIn({ tests, matchers }: Place, condition: number, texts: readonly string[]): Candidate[] {
  return (tests[condition] ?? []).flatMap((test) => {
    const isAsItIs = transformationOf(test.transformers)?.changes === UNCHANGED
    const own = isAsItIs ? texts.filter((text) => matchers.mayMatch(condition, text)) : texts
    return own.length === 0 ? [] : [{ test, texts: own }]
  })
}
