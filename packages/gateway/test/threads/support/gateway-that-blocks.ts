/** A program: a gateway of several threads, of which one reads from a pipe that nobody writes to. Its argument is the pipe. */
import type { TestContext } from 'node:test'
import { DEFAULT_GATEWAY_LIMITS } from '../../../src/index.ts'
import { runInThread, startThreadedGateway } from './threaded-gateway.ts'

const [, , pipe] = process.argv
const context = { after: () => undefined } as unknown as TestContext
await startThreadedGateway(context, {
  logLevel: 'error',
  limits: { ...DEFAULT_GATEWAY_LIMITS, threadSilenceMaxMs: 1_000 },
})
const read = `process.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(pipe)})`
await runInThread(context, 'gateway-1', read)
