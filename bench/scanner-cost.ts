/**
 * What judging each request for scanners costs: processor time (user and system) of one request of people, who ask for the same again, and of
 * scanners, who ask for something new, with headers that came before and with new ones; against the same loop without it, in rounds that
 * take turns. Medians of the rounds' differences.
 */
import { emptyEvent } from '@sallyport/contract'
import { Behaviours } from '../packages/gateway/src/behaviour/behaviours.ts'
import { blockOf, type HeaderBlock } from '../packages/gateway/src/headers/header-block.ts'
import { CompiledSnapshot } from '../packages/gateway/src/snapshot/compile.ts'
import { CHROME_NAVIGATION } from './support/scanners/headers.ts'
import { median } from './support/statistics.ts'

const REQUESTS = 50_000
const ROUNDS = 15
const RESEARCHERS = 50
const SENT = ['Host', 'shop.gate.example', ...CHROME_NAVIGATION, 'Cookie', `session=${'x'.repeat(60)}`]
const snapshot = CompiledSnapshot.empty()
const targetsOf = (different: number): string[] =>
  Array.from({ length: different }, (_, index) => `/catalogue/items/${index}?sort=price&page=${index % 7}`)
const TARGETS = [
  ['people', targetsOf(20)],
  ['scanners', targetsOf(5_000)],
] as const

function run(behaviours: Behaviours | null, blockFor: () => HeaderBlock, targets: readonly string[]): number {
  const before = process.cpuUsage()
  for (let index = 0; index < REQUESTS; index++) {
    const headers = blockFor()
    const event = emptyEvent()
    event.researcherId = `researcher-${index % RESEARCHERS}`
    event.siteId = 'site'
    event.target = targets[index % targets.length] ?? ''
    event.status = index % 5 === 0 ? 404 : 200
    const request = {
      ...{
        method: 'GET',
        target: event.target,
        headers,
        rawHeaders: headers.rawHeaders,
        httpVersion: '1.1' as const,
      },
      ...{ host: 'shop.gate.example', hostPort: '', secure: true, clientAddress: '192.0.2.1', bodyBytes: 0 },
      ...{ websocket: false, key: '', cookies: [], accept: '' },
    }
    behaviours?.judge({ request, event, snapshot, startedAt: index })
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

const BLOCKS = [
  [
    'headers that came before',
    (
      (block) => () =>
        block
    )(blockOf(SENT)),
  ],
  ['new headers each time', () => blockOf(SENT)],
] as const
for (const [who, targets] of TARGETS)
  for (const [name, blockFor] of BLOCKS) {
    const behaviours = new Behaviours()
    run(behaviours, blockFor, targets)
    run(null, blockFor, targets)
    const rounds = Array.from({ length: ROUNDS }, () => {
      const off = run(null, blockFor, targets)
      return run(behaviours, blockFor, targets) - off
    })
    const [least, most] = [Math.min(...rounds), Math.max(...rounds)].map((cost) => cost.toFixed(2))
    console.log(
      `${who}, ${name}: ${median(rounds).toFixed(2)} µs a request (${ROUNDS} rounds, ${least} to ${most})`,
    )
  }
