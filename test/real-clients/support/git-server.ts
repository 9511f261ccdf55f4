/** Git over HTTP as its own CGI program serves it. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bareEnvironment } from '../../support/environment.ts'
import { listenForTest } from '../../support/loopback.ts'
import { bodyOf } from './npm-registry.ts'

/** Starts a server with an empty repository `/project.git` in a folder, which whoever reaches it may push to. */
export async function startGitServer(
  context: Pick<TestContext, 'after'>,
  folder: string,
): Promise<{ readonly port: number }> {
  const repository = join(folder, 'project.git')
  mkdirSync(repository)
  spawnSync('git', ['init', '--bare', '--quiet', '--initial-branch=main', repository])
  spawnSync('git', ['-C', repository, 'config', 'http.receivepack', 'true'])
  const server = createServer((request, response) => void runBackend(folder, request, response))
  return await listenForTest(context, server)
}

/** One request, by the rules of CGI (RFC 3875). */
async function runBackend(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const body = await bodyOf(request)
  const child = spawn('git', ['http-backend'], {
    env: {
      ...bareEnvironment,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  // It may end without having read.
  child.stdin.on('error', () => {})
  child.stdin.end(body)
  const output = await bodyOf(child.stdout)
  const end = output.indexOf('\r\n\r\n')
  for (const line of output.toString('latin1', 0, end).split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? []
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10)
    else if (name !== '') response.setHeader(name, value)
  }
  response.end(output.subarray(end + 4))
}
