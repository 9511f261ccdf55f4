import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { lockDirectory } from '../src/directory-lock.ts'
import { DirectoryInUse } from '../src/operator-error.ts'
import { identify } from '../src/process-identity.ts'

const folder = temporaryFolder({ after })
const module = JSON.stringify(join(import.meta.dirname, '../src/directory-lock.ts'))

/** A process that holds the lock of `directory`, as the child of `supervisorPid` where that is given. */
async function startHolder(
  directory: string,
  supervisorPid?: number,
  onTerm = '',
  wrapper: readonly string[] = [],
): Promise<ChildProcess> {
  const script = `const { lockDirectory } = await import(${module})
    await lockDirectory(${JSON.stringify(directory)}, ${supervisorPid})
    ${onTerm}
    console.log('locked'); setInterval(() => {}, 1000)`
  const [program = '', ...args] = [...wrapper, process.execPath, '--input-type=module', '-e', script]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
  return child
}

test('a directory that is locked is refused with the process that has it', async () => {
  const directory = join(folder, 'held')
  const holder = await startHolder(directory)
  await assert.rejects(lockDirectory(directory), new RegExp(`in use by process ${holder.pid}:`))
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const lock = await lockDirectory(directory)
  lock.release()
  assert.ok(!existsSync(join(directory, 'lock')))
})

test('a file of the lock that is damaged is to be removed', async () => {
  const directory = join(folder, 'damaged')
  mkdirSync(directory)
  writeFileSync(join(directory, 'lock.sqlite'), 'x'.repeat(4_096))
  await assert.rejects(lockDirectory(directory), {
    name: 'OperatorError',
    message: new RegExp(`^${join(directory, 'lock.sqlite')} is damaged, .* remove it`),
  })
  rmSync(join(directory, 'lock.sqlite'))
  ;(await lockDirectory(directory)).release()
})

test('an orphan is waited for', async () => {
  const directory = join(folder, 'orphaned')
  const supervisor = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const orphan = await startHolder(directory, supervisor.pid, 'setTimeout(() => process.exit(), 700)')
  supervisor.kill('SIGKILL')
  await once(supervisor, 'exit')
  const ended = once(orphan, 'exit')
  ;(await lockDirectory(directory)).release()
  await ended
})

test('an orphan whose supervisor was gone before it had the lock is waited for', async () => {
  const directory = join(folder, 'orphaned at once')
  const supervisor = spawn(process.execPath, ['-e', ''])
  await once(supervisor, 'exit')
  const orphan = await startHolder(directory, supervisor.pid, 'setTimeout(() => process.exit(), 700)')
  const ended = once(orphan, 'exit')
  ;(await lockDirectory(directory)).release()
  await ended
})

test('a lock that names a process id of today for a process of yesterday, or nothing readable, is stale', async () => {
  const directory = join(folder, 'stale')
  ;(await lockDirectory(directory)).release()
  for (const text of [JSON.stringify({ pid: process.pid, started: '1' }), '{"pid"', '']) {
    writeFileSync(join(directory, 'lock'), text)
    ;(await lockDirectory(directory)).release()
  }
})

test('of many that find a stale lock at once, one gets it', async () => {
  const directory = join(folder, 'raced')
  ;(await lockDirectory(directory)).release()
  writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }))
  const script = `const { lockDirectory } = await import(${module})
    await lockDirectory(${JSON.stringify(directory)}).then(() => console.log('got'), () => console.log('refused'))
    process.stdin.resume()`
  const racers = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const answers = await Promise.all(
    racers.map(async (racer) => String((await once(racer.stdout, 'data'))[0]).trim()),
  )
  for (const racer of racers) racer.stdin.end()
  assert.deepEqual(answers.toSorted(), ['got', 'refused', 'refused', 'refused'])
})

test('a directory is locked in another PID namespace, too, until its process is killed', async (context) => {
  const wrapper = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
  if (spawnSync(wrapper[0] ?? '', [...wrapper.slice(1), 'true']).status !== 0)
    return context.skip('no PID namespace may be made here')
  const directory = join(folder, 'contained')
  const holder = await startHolder(directory, undefined, '', wrapper)
  const refused = await lockDirectory(directory).catch((error: unknown) => error)
  assert.ok(refused instanceof DirectoryInUse)
  assert.match(refused.message, /in use by process 1 of another container or machine, on /)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  ;(await lockDirectory(directory)).release()
})

test('a version of before that runs has the directory, although it knows no lock but its file', async () => {
  const directory = join(folder, 'before')
  ;(await lockDirectory(directory)).release()
  const running = identify(process.ppid)
  writeFileSync(join(directory, 'lock'), JSON.stringify(running))
  await assert.rejects(lockDirectory(directory), new RegExp(`in use by process ${process.ppid}:`))
  rmSync(join(directory, 'lock'))
  ;(await lockDirectory(directory)).release()
})

test('a directory is locked where nothing can be written, and given back', async () => {
  const directory = join(folder, 'full')
  mkdirSync(directory)
  symlinkSync(join(folder, 'missing', 'lock'), join(directory, 'lock'))
  const lock = await lockDirectory(directory)
  await assert.rejects(lockDirectory(directory), DirectoryInUse)
  lock.release()
  assert.deepEqual(readdirSync(directory), ['lock.sqlite'])
  assert.equal(statSync(join(directory, 'lock.sqlite')).mode & 0o777, 0o600)
})
