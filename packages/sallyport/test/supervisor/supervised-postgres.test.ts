import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { type SupervisedPostgres, supervisePostgres } from '../../src/supervisor/supervised-postgres.ts'

const directory = temporaryFolder({ after })
chmodSync(directory, 0o711)

async function supervise(report: (line: string) => void): Promise<SupervisedPostgres> {
  const server = supervisePostgres(directory, report)
  await server.ready
  return server
}

const serverPid = (): number =>
  Number(readFileSync(join(directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])

test('stops although the server that died cannot be started again', async () => {
  const failed = Promise.withResolvers<void>()
  const server = await supervise((line) => {
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
  const server = await supervise(() => died.resolve())
  process.kill(serverPid(), 'SIGKILL')
  await died.promise
  await server.stop()
  assert.throws(serverPid, { code: 'ENOENT' })
})

/** The server recovers for as long as the file is there: it asks for segments of its log, and waits for the answer. */
function holdRecovery(): string {
  const hold = join(directory, 'hold')
  const cluster = join(directory, 'cluster')
  writeFileSync(hold, '')
  writeFileSync(join(cluster, 'recovery.signal'), '')
  const command = `while [ -e ${hold} ]; do sleep 0.05; done; false`
  appendFileSync(join(cluster, 'postgresql.conf'), `restore_command = '${command}'\n`)
  for (const file of ['recovery.signal', 'postgresql.conf']) chmodSync(join(cluster, file), 0o644)
  return hold
}

test('waits for a server that recovers, saying so, and stops one without waiting', async () => {
  const died = Promise.withResolvers<void>()
  const told = Promise.withResolvers<string>()
  const server = await supervise((line) => {
    if (line.includes('is started again')) died.resolve()
    if (line.includes('not ready')) told.resolve(line)
  })
  const hold = holdRecovery()
  process.kill(serverPid(), 'SIGKILL')
  await died.promise
  assert.match(await told.promise, /^PostgreSQL is not ready yet: .*LOG: /)
  await server.stop()
  assert.ok(existsSync(hold))
  assert.throws(serverPid, { code: 'ENOENT' })

  rmSync(hold)
  await (await supervise(() => undefined)).stop()
})

test('stops one that has not come up yet, and says why one cannot be started', async () => {
  const server = supervisePostgres(directory, () => undefined)
  server.ready.catch(() => undefined)
  await server.stop()
  assert.throws(serverPid, { code: 'ENOENT' })

  appendFileSync(join(directory, 'cluster', 'postgresql.conf'), 'no such setting\n')
  const broken = supervisePostgres(directory, () => undefined)
  await assert.rejects(broken.ready, { name: 'OperatorError', message: /did not start/ })
  await broken.stop()
})
