/** Bench: time and memory of learning from ten million requests to a thousand routes and ten million random paths. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Condenser, Learner, type Observation, type ObservedRequest } from '@sallyport/api-learning'
import { Random } from './support/api-learning/random.ts'
import { researcherName } from './support/api-learning/traffic.ts'

const ROUTES = 1_000
const REQUESTS = Number(process.argv[2] ?? 10_000_000)
const BATCH = 5_000
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const random = new Random(3)
const routes = Array.from(
  { length: ROUTES },
  (_, index) =>
    `/api/v1/${random.text(LETTERS, 7)}${index % 10 === 0 ? '' : '/{}'}/${random.text(LETTERS, 6)}`,
)

const answered = (target: string): ObservedRequest => ({
  method: 'GET',
  target,
  status: 200,
  mediaType: 'application/json',
  requestMediaType: '',
  redirect: '',
  responseBytes: 100 + random.below(9_000),
  researcherId: researcherName(random.below(8)),
  hasHit: false,
  time: Date.UTC(2026, 10, 1) + random.below(86_400_000),
})

const known = (): ObservedRequest =>
  answered(
    random
      .pick(routes)
      .replace('{}', String(random.below(10 ** 6)))
      .concat(random.chance(0.3) ? `?page=${random.below(50)}` : ''),
  )
/** Not even answered as a miss: the worst that a site can do. */
const unknown = (): ObservedRequest => answered(`/${random.text(LETTERS, 9)}/${random.text(LETTERS, 9)}`)

const learner = new Learner()
let condensing = 0
let learning = 0
let most = 0

function take(make: () => ObservedRequest): void {
  const requests = Array.from({ length: BATCH }, make)
  const condenser = new Condenser()
  let begun = process.cpuUsage()
  for (const request of requests) condenser.add(request)
  const observations: Observation[] = condenser.take()
  condensing += spent(begun)
  begun = process.cpuUsage()
  for (const observation of observations) learner.add(observation)
  learning += spent(begun)
}

function spent(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun)
  return user + system
}

collect()
const before = process.memoryUsage().heapUsed
for (let done = 0; done < REQUESTS; done += BATCH) {
  take(known)
  take(unknown)
  if (done % (REQUESTS / 10) !== 0) continue
  collect()
  most = Math.max(most, process.memoryUsage().heapUsed - before)
}
const learned = learner.finish().filter(({ state }) => state === 'learned')
console.log({
  requests: 2 * REQUESTS,
  condensingUs: (condensing / (2 * REQUESTS)).toFixed(2),
  learningUs: (learning / (2 * REQUESTS)).toFixed(2),
  megabytes: (most / 2 ** 20).toFixed(1),
  learned: learned.length,
  ofRoutes: learned.filter(({ template }) => template.startsWith('/api/v1/')).length,
})
