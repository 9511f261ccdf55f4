import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { supervisePostgres } from '../../src/supervisor/supervised-postgres.ts'

const directory = mkdtempSync(join(tmpdir(), 'sallyport-supervised-postgres-'))
chmodSync(directory, 0o711)
after(() => rmSync(directory, { recursive: true }))

const serverPid = (): number =>
  Number(readFileSync(join(directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])

test('stops although the server that died cannot be started again', async () => {
  const failed = Promise.withResolvers<void>()
  const server = await supervisePostgres(directory, (line) => {
    if (line.includes('did not start')) failed.resolve()
  })
  appendFileSync(join(directory, 'cluster', 'postgresql.conf'), 'no such setting\n')
  process.kill(serverPid(), 'SIGKILL')
  await failed.promise
  await server.stop()
})

test('stops a server that was being started again, and leaves none', async () => {
  const conf = join(directory, 'cluster', 'postgresql.conf')
  const lines = readFileSync(conf, 'utf8').replace('no such setting\n', '')
  rmSync(conf)
  appendFileSync(conf, lines)
  chmodSync(conf, 0o644)
  const died = Promise.withResolvers<void>()
  const server = await supervisePostgres(directory, () => died.resolve())
  process.kill(serverPid(), 'SIGKILL')
  await died.promise
  await server.stop()
  assert.throws(serverPid, { code: 'ENOENT' })
})
