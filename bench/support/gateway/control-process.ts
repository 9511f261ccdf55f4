/**
 * The control plane for measurements in a process of its own, so that what it does holds up neither the load nor the
 * clock. Argument: JSON of the first population. Prints `{port}`; takes further populations over its channel and answers
 * each with the milliseconds that the gateway took to run it.
 */
import { type Population, startControlStub } from './control-stub.ts'

const stub = await startControlStub(JSON.parse(process.argv[2] ?? '{}'))
process.stdout.write(`${JSON.stringify({ port: stub.port })}\n`)
process.on('message', (population: Population) => {
  void stub.say(population).then((tookMs) => process.send?.(tookMs))
})
process.on('disconnect', () => process.exit())
