/** Bench: what is learned of documented APIs from traffic, without and with scanners. `node bench/api-learning.ts <folder of documents>` */
import type { ObservedRequest } from '@sallyport/api-learning'
import { type ApiDocument, readDocuments } from './support/api-learning/documents.ts'
import { matcherOf } from './support/api-learning/matcher.ts'
import { type Misses, scan } from './support/api-learning/scanners.ts'
import { learn, observe, type Score, score } from './support/api-learning/score.ts'
import { honestTraffic } from './support/api-learning/traffic.ts'

const folder = process.argv[2] ?? process.env.SALLYPORT_API_DOCUMENTS
if (!folder) throw new Error('Name a folder with OpenAPI documents.')
const isVerbose = process.argv.includes('--verbose')
const HONEST = { seed: 7, researchers: 8, requestsAnOperation: 20 }

for (const document of readDocuments(folder)) {
  print(document, 'honest', judge(document, undefined))
  for (const misses of ['not-found', 'page-for-everything', 'json-for-everything', 'redirect'] as const)
    print(document, misses, judge(document, misses))
}

function judge(document: ApiDocument, misses: Misses | undefined): Score {
  const { requests: honest, used } = honestTraffic(document, HONEST)
  const scanned = misses
    ? scan({
        seed: 11,
        requests: honest.length * 4,
        researchers: [0, 1, 2, 3],
        misses,
        find: matcherOf(document, honest),
        known: honest,
      })
    : []
  return score(document, learn(observe([...honest, ...scanned].map(asRecorded))), used)
}

/** The record holds neither media types nor where redirects lead. */
function asRecorded(request: ObservedRequest): ObservedRequest {
  return { ...request, mediaType: '', requestMediaType: '', redirect: '' }
}

function print({ name, operations }: ApiDocument, traffic: string, result: Score): void {
  const numbers = [
    result.precision,
    result.recall,
    result.parameterPrecision,
    result.parameterRecall,
    result.types,
  ]
  console.log(
    name.padEnd(10),
    String(operations.length).padStart(5),
    traffic.padEnd(20),
    ...numbers.map((number) => number.toFixed(3)),
  )
  if (isVerbose) console.log('  wrong', result.wrong.slice(0, 25), '\n  missing', result.missing.slice(0, 25))
}
