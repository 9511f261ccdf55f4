/** Clients of npm in processes of their own, for whom every name is at the recorder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { RecordingSession } from './session.ts'

/** What stands before each script: names that lead to the recorder, what the session gave it, and a way to import what it has installed. */
const PRELUDE = `
import dns from 'node:dns'
const { lookup } = dns
dns.lookup = (name, options, callback) => lookup('127.0.0.1', options, callback)
const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const input = JSON.parse(Buffer.concat(chunks))
`

/** Runs a script, a module with `input` and what `name` exports as `library`. */
export async function runClient(
  session: RecordingSession,
  name: string,
  script: string,
  input: unknown,
): Promise<void> {
  const file = createRequire(join(session.installed, 'package.json')).resolve(name)
  const source = `${PRELUDE}const library = await import(${JSON.stringify(file)})\n${script}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(input))
  await once(child, 'exit')
}

/** Address of a routed name where the client is not told of a proxy. */
export const directUrl = (session: RecordingSession, name: string): string =>
  `http://${name}.example.org:${new URL(session.proxyUrl).port}/`
