/** An origin that acts out one sequence of `hostile-answers.ts` at a time, and remembers what each connection carried. */
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { answerOf, type Exchange, tailOf, type When } from './hostile-answers.ts'

/** Tells whose bytes they are: the sequence and the exchange in it. */
export const markOf = (sequence: number, index: number): string => `{${sequence}:${index}}`

export class HostileOrigin {
  /** The exchanges that each connection of the present sequence carried, by their index. */
  readonly carried = new Map<Socket, number[]>()
  readonly #server = createServer({ noDelay: true }, (socket) => this.#accept(socket))
  #sequence = 0
  #exchanges: readonly Exchange[] = []
  /** What is to be done when the present answer has arrived, and when the next request has. */
  #later: Record<'answered' | 'next', (() => Promise<void>)[]> = { answered: [], next: [] }

  async listen(context: TestContext): Promise<number> {
    return (await listenForTest(context, this.#server)).port
  }

  begin(sequence: number, exchanges: readonly Exchange[]): void {
    this.#sequence = sequence
    this.#exchanges = exchanges
  }
  /** The researcher has the answer. Resolves when what was to follow has been written. */
  async answered(): Promise<void> {
    await this.#run('answered')
  }
  /** Ends the sequence: its connections close. */
  end(): void {
    for (const socket of this.carried.keys()) socket.destroy()
    this.carried.clear()
    this.#later = { answered: [], next: [] }
  }

  async #run(when: 'answered' | 'next'): Promise<void> {
    for (const act of this.#later[when].splice(0)) await act()
  }

  #accept(socket: Socket): void {
    let text = ''
    this.carried.set(socket, [])
    socket.on('error', () => {})
    socket.on('data', (read) => {
      text += read.toString('latin1')
      const asked = /^\w+ \/(\d+)\/(\d+) [\s\S]*?\r\n\r\n/.exec(text)
      if (!asked || Number(asked[1]) !== this.#sequence) return
      text = ''
      void this.#answer(socket, Number(asked[2]))
    })
  }

  async #answer(socket: Socket, index: number): Promise<void> {
    const exchange = this.#exchanges[index]
    if (!exchange) return
    this.carried.get(socket)?.push(index)
    // What is late goes first, as on any connection.
    await this.#run('next')
    const mark = markOf(this.#sequence, index)
    await writeCut(socket, answerOf(exchange, mark), exchange.cuts)
    await this.#do(exchange.tailWhen, () => write(socket, tailOf(exchange, mark)))
    await this.#do(endsWhen(exchange), async () => end(socket, exchange))
  }

  async #do(when: When, act: () => Promise<void>): Promise<void> {
    if (when === 'answered' || when === 'next') {
      this.#later[when].push(act)
      return
    }
    if (when === 'turn') await nextTurn()
    await act()
  }
}

/** Answers that have no other end end with the connection, or nobody would hear of them. */
function endsWhen({ framing, tail, tailWhen, ends, endsWhen: chosen }: Exchange): When {
  const needsEnd = ['none', 'shorter', 'unfinished', 'silent'].includes(framing)
  if (ends === 'keep') return 'turn'
  if (!needsEnd) return chosen
  return tail !== 'none' && tailWhen === 'turn' ? 'turn' : 'now'
}

async function end(socket: Socket, { framing, ends }: Exchange): Promise<void> {
  const needsEnd = ['none', 'shorter', 'unfinished', 'silent'].includes(framing)
  if (ends === 'reset') socket.resetAndDestroy()
  else if (ends === 'fin' || needsEnd) socket.end()
}

async function writeCut(socket: Socket, text: string, cuts: Exchange['cuts']): Promise<void> {
  const at = cuts === 'every' ? text.split('').map((_, index) => index) : [...cuts].sort((a, b) => a - b)
  let from = 0
  for (const to of [...at, text.length]) {
    if (to <= from || to > text.length) continue
    await write(socket, text.slice(from, to))
    from = to
    if (from < text.length) await nextTurn()
  }
}

/** Resolves when the system has taken it: over loopback, it has arrived. */
function write(socket: Socket, text: string): Promise<void> {
  if (text === '' || !socket.writable) return Promise.resolve()
  return new Promise((resolve) => socket.write(text, 'latin1', () => resolve()))
}
