import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import {
  RECORD_HEADER_BYTES,
  RECORD_KINDS,
  recordMemory,
  writeRecordHeader,
} from '../../../journal/src/record-format.ts'
import { startGateway } from '../../src/gateway.ts'
import { testSettings } from '../support/test-data-plane.ts'

/** A control plane that gives a snapshot and takes nothing. */
async function startControl(context: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method === 'POST') response.writeHead(503).end()
    else {
      response.write(`${JSON.stringify({ type: 'begin', mode: 'full', revision: 1 })}\n`)
      response.write(`${JSON.stringify({ type: 'commit', revision: 1 })}\n`)
    }
  })
  return (await listenForTest(context, server)).url
}

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    ['.', ...readdirSync(folder, { recursive: true }).map(String)].map((name) => [
      name,
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    ]),
  )

for (const umask of [0o000, 0o022])
  test(`what a gateway writes is its user's alone, with a umask of ${umask.toString(8)}`, async (context) => {
    const before = process.umask(umask)
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-own-files-'))
    context.after(() => {
      process.umask(before)
      rmSync(folder, { recursive: true, force: true })
    })
    const dataDir = join(folder, 'gateway')
    // What an earlier version left, open to everybody, one segment with an event to deliver and a damaged end.
    mkdirSync(join(dataDir, 'journal', 'damaged'), { recursive: true })
    const memory = recordMemory(128)
    let end = 0
    for (const [kind, payload] of [
      [RECORD_KINDS.segment, ''],
      [RECORD_KINDS.sender, '{}'],
      [RECORD_KINDS.event, '{}'],
    ] as const) {
      memory.bytes.write(payload, end + RECORD_HEADER_BYTES)
      writeRecordHeader(memory, end, payload.length, { kind, split: 0, reference: 0, sender: 1 })
      end += RECORD_HEADER_BYTES + payload.length
    }
    writeFileSync(join(dataDir, 'journal', '0000000001.journal'), memory.bytes)
    for (const name of ['snapshot.ndjson', 'snapshot.ndjson.new', 'journal/damaged/old.bytes'])
      writeFileSync(join(dataDir, name), '')
    for (const name of readdirSync(dataDir, { recursive: true }).map(String))
      chmodSync(join(dataDir, name), statSync(join(dataDir, name)).isDirectory() ? 0o777 : 0o666)
    chmodSync(dataDir, 0o755)

    const settings = testSettings({ dataDir, controlUrls: [await startControl(context)] })
    const gateway = await startGateway(settings)
    try {
      const deadline = Date.now() + 10_000
      while (statSync(join(dataDir, 'snapshot.ndjson')).size === 0 && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20))
      const modes = modesIn(dataDir)
      const isFolder = (name: string): boolean => statSync(join(dataDir, name)).isDirectory()
      for (const [name, mode] of Object.entries(modes))
        assert.equal(mode, isFolder(name) ? '700' : '600', name)
      for (const name of ['journal/0000000001.journal', 'journal/0000000002.journal', 'snapshot.ndjson'])
        assert.ok(name in modes, name)
      assert.ok(Object.keys(modes).some((name) => /^journal\/damaged\/1-\d+\.bytes$/.test(name)))
    } finally {
      await gateway.close()
    }
  })
