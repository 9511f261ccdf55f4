/** A small API with traffic of its researchers. */
import {
  Condenser,
  type LearnedOperation,
  Learner,
  type Observation,
  type ObservedRequest,
} from '../src/index.ts'

export const OPERATIONS = `GET /api/v1/users
POST /api/v1/users
GET /api/v1/users/me
GET /api/v1/users/{name}
PATCH /api/v1/users/{name}
DELETE /api/v1/users/{name}
GET /api/v1/users/{name}/keys
POST /api/v1/users/{name}/keys
DELETE /api/v1/users/{name}/keys/{integer}
GET /api/v1/repos/{name}/{name}
GET /api/v1/repos/{name}/{name}/issues
POST /api/v1/repos/{name}/{name}/issues
GET /api/v1/repos/{name}/{name}/issues/{integer}
GET /api/v1/repos/{name}/{name}/issues/comments
GET /api/v1/orders/{uuid}
GET /api/v1/orders/{uuid}/lines/{integer}
GET /api/v1/search
POST /rpc/Orders.Cancel
POST /rpc/Orders.Create
GET /health`.split('\n')

export const RESEARCHERS = ['ann', 'ben', 'cat', 'dan', 'eve']

export const request = (given: Partial<ObservedRequest> & { readonly target: string }): ObservedRequest => ({
  method: 'GET',
  status: 200,
  mediaType: 'application/json',
  requestMediaType: '',
  redirect: '',
  responseBytes: 300,
  researcherId: 'ann',
  hasHit: false,
  time: Date.UTC(2026, 10, 1),
  ...given,
})

/** Twenty requests of each operation, each researcher with names of their own. */
export function honestRequests(operations: readonly string[] = OPERATIONS): ObservedRequest[] {
  return operations.flatMap((operation, place) =>
    Array.from({ length: 20 }, (_, index) => {
      const [method = '', template = ''] = operation.split(' ')
      const researcher = RESEARCHERS[index % RESEARCHERS.length] ?? ''
      const target = template
        .replaceAll('{name}', () => `${researcher}${'abcd'[(index + place) % 4]}x`)
        .replaceAll('{integer}', () => String(1000 + index * 7))
        .replaceAll('{uuid}', () => `${String(10_000_000 + index)}-0000-4000-8000-000000000000`)
      return request({
        method,
        target,
        researcherId: researcher,
        responseBytes: 200 + 97 * (index % 9) * (place + 1),
      })
    }),
  )
}

export function condense(requests: Iterable<ObservedRequest>): Observation[] {
  const condenser = new Condenser()
  for (const one of requests) condenser.add(one)
  return condenser.take()
}

const ORDER: readonly string[] = ['control', 'answer', 'query', 'body']

export function learn(observations: readonly Observation[], options = {}): LearnedOperation[] {
  const learner = new Learner(options)
  const inOrder = observations.toSorted(
    (left, right) => ORDER.indexOf(left.place) - ORDER.indexOf(right.place),
  )
  for (const observation of inOrder)
    if (observation.place === 'control') learner.addControl(observation)
    else learner.add(observation)
  return learner.finish()
}

const nameless = (template: string): string => template.replaceAll(/\{[^}]*\}/g, '{}')

/** The operations that were learned, with parameters without names, sorted. */
export const learnedOf = (requests: Iterable<ObservedRequest>, options = {}): string[] =>
  learn(condense(requests), options)
    .filter(({ state }) => state === 'learned')
    .map(({ method, template }) => `${method} ${nameless(template)}`)
    .sort()

export const EXPECTED: readonly string[] = OPERATIONS.map(nameless).sort()
