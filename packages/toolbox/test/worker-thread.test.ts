/** Questions to a thread: answers, deadlines, deaths. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThreadDeadlineError, ThreadEndedError, WorkerThread } from '../src/index.ts'

const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 }
const DEADLINE = { deadlineMs: 20_000 }

/** A thread that answers by the function of which this is the text. */
function threadOf(answer: string): WorkerThread<unknown, unknown> {
  const source = `import { parentPort } from 'node:worker_threads'
    const answer = ${answer}
    parentPort.on('message', (question) => parentPort.postMessage(answer(question)))
    parentPort.postMessage('started')`
  const file = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
  return new WorkerThread(file, { name: 'test', resourceLimits: LIMITS })
}

test('each question has its answer, and what is given away is not copied', async () => {
  const thread = threadOf('(question) => question.byteLength ?? question + 1')
  assert.equal(await thread.ask(1, DEADLINE), 2)
  const given = new Uint8Array(100)
  assert.equal(await thread.ask(given, { ...DEADLINE, transfer: [given.buffer] }), 100)
  assert.equal(given.length, 0)
  await thread.close()
})

test('a thread that does not answer, dies or is ended says so, and the next question has another', async () => {
  const act = `(question) => {
    if (question === 'throw') throw new RangeError('of its own')
    if (question === 'exit') process.exit()
    if (question === 'grow') for (const all = []; ; ) all.push(new Array(10_000).fill(all.length))
    while (question === 'hang');
    return question
  }`
  const thread = threadOf(act)
  await assert.rejects(thread.ask('hang', { deadlineMs: 50 }), ThreadDeadlineError)
  assert.equal(await thread.ask(1, DEADLINE), 1)
  await assert.rejects(thread.ask('throw', DEADLINE), /of its own/)
  assert.equal(await thread.ask(2, DEADLINE), 2)
  await assert.rejects(thread.ask('exit', DEADLINE), ThreadEndedError)
  await assert.rejects(thread.ask('grow', DEADLINE), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  const asked = thread.ask('hang', DEADLINE)
  const ended = assert.rejects(asked, ThreadEndedError)
  await thread.close()
  await ended
  await assert.rejects(thread.ask(3, DEADLINE), ThreadEndedError, 'it would start a thread that nobody ends')
})
