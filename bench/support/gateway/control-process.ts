/**
 * The control plane for measurements in a process of its own, so that what it does holds up neither the load nor the
 * clock. Argument: JSON of the first population. Prints `{port}`. A further population on its channel is made ready and
 * answered; at the next message it is said, and answered with the milliseconds that the gateway took to run it.
 */
import { type Population, startControlStub } from './control-stub.ts'

const stub = await startControlStub(JSON.parse(process.argv[2] ?? '{}'))
process.stdout.write(`${JSON.stringify({ port: stub.port })}\n`)
let say: (() => Promise<number>) | undefined
process.on('message', (population: Population) => {
  if (say) {
    void say().then((tookMs) => process.send?.(tookMs))
    say = undefined
  } else {
    say = stub.prepare(population)
    process.send?.('prepared')
  }
})
process.on('disconnect', () => process.exit())
