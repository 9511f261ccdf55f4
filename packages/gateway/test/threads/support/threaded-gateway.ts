/** A whole gateway of several threads in the process of the test, which can end them. */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { Session } from 'node:inspector'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { type Gateway, type GatewaySettings, startGateway } from '../../../src/index.ts'
import { closeAtEnd, temporaryDirectory } from '../../record/support.ts'
import { copyDefaultTables } from '../../stages/firewall/support.ts'
import { HOST, KEY, testSettings } from '../../support/test-data-plane.ts'
import { TestControlPlane } from './control-plane.ts'

/** The threads that serve requests, the last started of each number last. */
const workers: Worker[] = []
process.on('worker', (worker) => {
  workers.push(worker)
  worker.on('exit', () => workers.splice(workers.indexOf(worker), 1))
})

export const servingThreads = (): readonly Worker[] =>
  workers.filter(({ threadName }) => threadName?.startsWith('gateway-') ?? false)

/** Runs an expression in a serving thread, as a debugger does. */
export async function runInThread(context: TestContext, name: string, expression: string): Promise<void> {
  const session = new Session()
  session.connect()
  context.after(() => session.disconnect())
  let isDone = false
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
  await new Promise<void>((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      // The one that is started in its place is let be.
      if (isDone || !workerInfo.title.endsWith(name)) return
      isDone = true
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
      resolve()
    })
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  })
}

export interface ThreadedGateway {
  readonly gateway: Gateway
  readonly control: TestControlPlane
  readonly settings: GatewaySettings
  readonly originPort: number
  /** How many requests are with the origin. */
  readonly atOrigin: () => number
  restart(changes: Partial<GatewaySettings>): Promise<Gateway>
}

/** `/hold` is answered when the test ends, `/stream` sends a byte each 20 ms, everything else is answered at once. */
async function startOrigin(context: Pick<TestContext, 'after'>) {
  let running = 0
  const server = createServer((request, response) => {
    running += 1
    response.on('close', () => {
      running -= 1
    })
    if (request.url === '/hold') return
    if (request.url !== '/stream') {
      response.end('from the origin')
      return
    }
    const bytes = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, running: () => running }
}

export async function startThreadedGateway(
  context: TestContext,
  changes: Partial<GatewaySettings> = {},
): Promise<ThreadedGateway> {
  // Made first, so that the gateway is closed first.
  const dataDir = await temporaryDirectory(context)
  copyDefaultTables(dataDir)
  const [control, origin] = [await TestControlPlane.start(context), await startOrigin(context)]
  control.begin(origin.port)
  const settings = testSettings({
    dataDir,
    controlUrls: [control.url],
    threads: 3,
    ...changes,
  })
  let gateway = await startGateway(settings)
  closeAtEnd(context, { close: () => gateway.close() })
  await untilReady(gateway)
  return {
    gateway,
    control,
    settings,
    originPort: origin.port,
    atOrigin: origin.running,
    async restart(more) {
      await gateway.close()
      gateway = await startGateway({ ...settings, ...more })
      await untilReady(gateway)
      return gateway
    },
  }
}

/** Waits until something is so. */
export async function untilSo(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const endsAt = performance.now() + WAIT_MAX_MS
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const WAIT_MAX_MS = 20_000

export async function untilReady({ admin }: Gateway): Promise<void> {
  for (;;) {
    const { ok } = await fetch(`http://127.0.0.1:${admin.port}/readyz`)
    if (ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export interface Answer {
  readonly status: number
  readonly reason: string
  readonly body: string
}

/** Sends a request on a connection of its own; rejects where the connection is broken off. */
export async function get(gateway: Gateway, path = '/', key = KEY): Promise<Answer> {
  const response = await open(gateway, path, key)
  const body = (await buffer(response)).toString()
  const reason = String(response.headers['sallyport-reason'] ?? '')
  return { status: response.statusCode ?? 0, reason, body }
}

/** The same, up to the head of its answer. */
export async function open({ http }: Gateway, path: string, key = KEY): Promise<IncomingMessage> {
  const asked = httpRequest({
    host: '127.0.0.1',
    port: http.port,
    path,
    agent: false,
    headers: { Host: HOST, 'Sallyport-Key': key },
  })
  asked.end()
  const [response] = await once(asked, 'response')
  return response as IncomingMessage
}

/** A metric of the gateway by its labels, as they stand in its text. */
export async function readMetrics({ admin }: Gateway): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${admin.port}/metrics`)).text()
  return new Map(
    Array.from(text.matchAll(/^(sallyport_\S+) (\S+)$/gm), ([, name = '', value]) => [name, Number(value)]),
  )
}
