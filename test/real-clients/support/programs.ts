/** Clients as processes, each with a folder that is its home, and a page for them to ask. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bareEnvironment } from '../../support/environment.ts'
import { listenForTest } from '../../support/loopback.ts'

/** Runs a program to its end; fails the test unless that is a good one, and answers what it said. */
export async function runProgram(
  folder: string,
  program: string,
  options: readonly string[],
  input = '',
): Promise<string> {
  const child = spawn(program, options, {
    cwd: folder,
    env: { ...bareEnvironment, HOME: folder, XDG_RUNTIME_DIR: folder, GIT_TERMINAL_PROMPT: '0' },
  })
  // It may end without having read.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const [status] = await once(child, 'close')
  assert.equal(status, 0, `${program} ${options.join(' ')}: ${said}`)
  return said
}

/** Has npm publish a package and install it, as the lines of an `.npmrc` tell it. */
export async function publishAndInstall(folder: string, npmrc: readonly string[]): Promise<void> {
  const lines = [...npmrc, 'audit=false', 'fund=false', 'update-notifier=false']
  writeFileSync(join(folder, '.npmrc'), `${lines.join('\n')}\n`)
  for (const name of ['made', 'used']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'made/package.json'), '{"name":"behind-the-gate","version":"1.2.3"}')
  writeFileSync(join(folder, 'made/index.js'), 'module.exports = 42\n')
  await runProgram(folder, 'npm', ['publish', './made'])
  await runProgram(folder, 'npm', ['install', '--prefix', 'used', 'behind-the-gate'])
  assert.match(readFileSync(join(folder, 'used/node_modules/behind-the-gate/index.js'), 'utf8'), /42/)
}

/** A page that says which sign-in arrived at it. */
export async function startPage(context: TestContext): Promise<number> {
  const server = createServer((request, response) =>
    response.end(`sign-in: ${request.headers.authorization ?? 'none'}`),
  )
  return (await listenForTest(context, server)).port
}
