/**
 * What it costs a gateway to put the template of a site's API into the record's route: nothing where the site has none, and beside
 * what the record says of the target anyway. Each path is another one, since those of researchers are.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { describeTarget } from '../packages/gateway/src/record/describe.ts'
import { compileSiteRoutes } from '../packages/gateway/src/snapshot/sites/site-routes.ts'
import { median } from './support/statistics.ts'

const RESOURCES = 1_000
const PATHS = 100_000
const ROUNDS = 9
/** Five templates of each resource. */
const TEMPLATES = Array.from({ length: RESOURCES }, (_, index) =>
  ['', '/{id}', '/{id}/lines', '/{id}/lines/{lineId}', '/{id}/files/{name}.json'].map(
    (rest) => `/api/v1/resource${index}${rest}`,
  ),
).flat()
const BEHIND = ['', '/17', '/ann/lines', '/18/lines/4', '/19/files/a.json', '/20/unknown']

/** Targets of each kind of template, and some that match none. */
const targets = Array.from(
  { length: PATHS },
  (_, index) => `/api/v1/resource${index % RESOURCES}${BEHIND[index % BEHIND.length]}?n=${index}`,
)

type TemplateOf = (path: string) => string | undefined

/** Processor time of one request, microseconds. */
function costOf(templateOf: TemplateOf | undefined): number {
  const started = process.cpuUsage()
  let chars = 0
  for (const target of targets) {
    const { path, route } = describeTarget(target)
    chars += (templateOf?.(path) ?? route).length
  }
  const { user, system } = process.cpuUsage(started)
  if (chars === 0) throw new Error('nothing was described')
  return (user + system) / targets.length
}

const compiled = compileSiteRoutes(TEMPLATES)
while (compiled('/api/v1/resource0') === undefined) await nextTurn()
const sides: Readonly<Record<string, TemplateOf | undefined>> = {
  'as it was': undefined,
  'a site without templates': compileSiteRoutes(undefined),
  'a site with 5,000': compiled,
}
const costs = new Map(Object.keys(sides).map((name) => [name, [] as number[]]))
for (let round = 0; round < ROUNDS; round++)
  for (const [name, templateOf] of Object.entries(sides)) {
    const cost = costOf(templateOf)
    if (round > 1) costs.get(name)?.push(cost)
  }
for (const [name, all] of costs) console.log(name.padEnd(26), median(all).toFixed(3), 'µs a request')
