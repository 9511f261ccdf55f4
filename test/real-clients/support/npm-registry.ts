/** The part of npm's registry that publishing and installing needs. */
import { createServer, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { listenForTest } from '../../support/loopback.ts'

interface Packument {
  readonly name: string
  readonly versions: Record<string, { dist: { tarball: string } }>
  readonly _attachments?: Record<string, { readonly data: string }>
}

/** Starts a registry without a sign-in of its own. Tarballs are where its packages were asked for, as a gate in front of it says. */
export async function startNpmRegistry(
  context: Pick<TestContext, 'after'>,
): Promise<{ readonly port: number }> {
  const packages = new Map<string, Packument>()
  const server = createServer(async (request, response) => {
    const [, name = '', , file] = decodeURIComponent(request.url ?? '').split('/')
    if (request.method === 'PUT') {
      packages.set(name, JSON.parse((await bodyOf(request)).toString()) as Packument)
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"ok":true}')
      return
    }
    const found = packages.get(name)
    if (!found) response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    else if (file) response.end(Buffer.from(Object.values(found._attachments ?? {})[0]?.data ?? '', 'base64'))
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(shown(found, request)))
  })
  return await listenForTest(context, server)
}

function shown({ _attachments, ...packument }: Packument, { headers }: IncomingMessage): object {
  const base = `${headers['x-forwarded-proto']}://${headers['x-forwarded-host']}`
  for (const [version, { dist }] of Object.entries(packument.versions))
    dist.tarball = `${base}/${packument.name}/-/${packument.name}-${version}.tgz`
  return packument
}

/** The whole body of a request. */
export async function bodyOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
