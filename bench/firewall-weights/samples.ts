/**
 * What weights are fitted to and measured on: public corpora, requests that are made up, and recordings of real applications. Each
 * sample belongs to a group (a template of attacks, a rule's tests, an application), and a group is in the fit or kept out of it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { benignRequests } from '../../packages/firewall/test/support/benign.ts'
import {
  attackFamilyCases,
  requestOf,
  type TestRequest,
} from '../../packages/firewall/test/support/corpus.ts'
import { documentParagraphs } from '../../packages/firewall/test/support/documents.ts'
import { get, post } from '../../packages/firewall/test/support/requests.ts'
import { isHeldOut } from '../recordings/applications.ts'
import { readRecording, recordedApplications } from '../recordings/recording.ts'
import { CODE, codeSamples, withinCode, withinProse } from './code-samples.ts'

export interface Sample {
  /** What it is counted under. */
  readonly kind: string
  readonly isAttack: boolean
  readonly isHeldOut: boolean
  readonly request: TestRequest
}

const folder = process.env.SALLYPORT_CORPORA ?? resolve(import.meta.dirname, '../../../shared/corpora')

/** Half of all groups, by a hash of their name. */
const isOutByHash = (group: string): boolean =>
  ((createHash('sha256').update(group).digest()[0] ?? 0) & 1) === 1

/** All samples; those of recordings where a folder of them is given. */
export async function* samples(recordings: string | undefined): AsyncGenerator<Sample> {
  yield* advlearnSamples()
  yield* regressionSamples()
  yield* madeUpSamples()
  for (const { group, request } of codeSamples())
    yield { kind: 'code', isAttack: false, isHeldOut: isOutByHash(`code ${group}`), request }
  if (recordings === undefined) return
  for (const application of recordedApplications(recordings))
    for await (const { method, target, rawHeaders, body } of readRecording(recordings, application))
      yield {
        kind: `recorded ${application}`,
        isAttack: false,
        isHeldOut: isHeldOut(application),
        request: { head: { method, target, rawHeaders }, body },
      }
}

const LANGUAGES = Object.keys(CODE)

/** An attack in the middle of a document: the same always in code of the same language. */
function* embedded(value: string, isHeldOut: boolean): Generator<Sample> {
  const language = LANGUAGES[(createHash('sha256').update(value).digest()[1] ?? 0) % LANGUAGES.length] ?? ''
  yield { kind: 'attack in prose', isAttack: true, isHeldOut, request: withinProse(value) }
  yield { kind: 'attack in code', isAttack: true, isHeldOut, request: withinCode(value, language) }
}

interface AdvlearnValue {
  readonly label: 'attack' | 'benign'
  readonly mutated?: boolean
  readonly value: string
}

function* advlearnSamples(): Generator<Sample> {
  const lines = readFileSync(join(folder, 'modsec-advlearn.ndjson'), 'utf8').trim().split('\n')
  for (const line of lines) {
    const { label, mutated = false, value }: AdvlearnValue = JSON.parse(line)
    const isAttack = label === 'attack'
    const isHeldOut = isOutByHash(isAttack ? templateOf(value) : honestFormOf(value))
    const name = isAttack ? (mutated ? 'mutated' : 'attack') : 'benign'
    yield {
      kind: `advlearn ${name}`,
      isAttack,
      isHeldOut,
      request: get(`/?q=${value}`),
    }
    if (isAttack && !mutated) yield* embedded(decoded(value), isHeldOut)
  }
}

/**
 * The template that a generator filled in: the words of the language and the signs between them, without blanks, comments, letter case,
 * numbers and names. A mutated value is in the group of what it was made of.
 */
export function templateOf(value: string): string {
  const text = decoded(value).toLowerCase()
  return [...text.matchAll(/[a-z_]{2,}/g)]
    .map(([word]) => word)
    .filter((word) => KEYWORDS.has(word))
    .join(' ')
}

const KEYWORDS = new Set(
  (
    'select union all from where and or having order group by like rlike regexp between in exists not null ' +
    'case when then else end if iif concat char chr sleep benchmark waitfor delay randomblob extractvalue updatexml ' +
    'cast convert count elt make_set json_keys exp insert delete update drop procedure analyse limit offset as is ' +
    'dbms_pipe receive_message utl_inaddr ctxsys generate_series pg_sleep rdb sysusers information_schema dual row ' +
    'hex lower upper'
  ).split(' '),
)

/** The names of a query, or the value's first characters. */
const honestFormOf = (value: string): string =>
  [...value.matchAll(/(?:^|&)([\w.[\]-]{1,40})=/g)].map(([, name]) => name).join() || value.slice(0, 12)

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return value
  }
}

/** What is stored and shown is markup behind words as well as alone. */
const PROSE = 'Thank you, the shoes are fine and came in time. '

function* regressionSamples(): Generator<Sample> {
  for (const item of attackFamilyCases()) {
    const isAttack = item.expect.length > 0
    yield {
      kind: isAttack ? 'regression attack' : 'regression near miss',
      isAttack,
      isHeldOut: isOutByHash(String(item.rule)),
      request: requestOf(item),
    }
    const value = /[?&][^=&]*=([^&]+)/.exec(item.uri)?.[1]
    if (isAttack && value !== undefined) yield* embedded(decoded(value), isOutByHash(String(item.rule)))
    if (isAttack && item.family.startsWith('REQUEST-941') && item.uri.includes('='))
      yield {
        kind: 'regression markup in prose',
        isAttack,
        isHeldOut: isOutByHash(String(item.rule)),
        request: get(item.uri.replace('=', `=${encodeURIComponent(PROSE)}`)),
      }
  }
}

function* madeUpSamples(): Generator<Sample> {
  for (const request of benignRequests(2_080))
    yield { kind: 'made up', isAttack: false, isHeldOut: isOutByHash(request.kind), request }
  for (const [index, text] of documentParagraphs().entries()) {
    const request = post('application/json', JSON.stringify({ comment: { text } }))
    yield {
      kind: 'documentation',
      isAttack: false,
      isHeldOut: isOutByHash(`documentation ${Math.floor(index / 250)}`),
      request,
    }
  }
}
