/** The part of a container registry that pushing and pulling an image needs (OCI Distribution Specification 1.1). */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { listenForTest } from '../../support/loopback.ts'
import { bodyOf } from './npm-registry.ts'

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

interface Stored {
  readonly bytes: Buffer
  readonly type: string
}

/** Starts a registry without a sign-in of its own. */
export async function startContainerRegistry(
  context: Pick<TestContext, 'after'>,
): Promise<{ readonly port: number }> {
  const stored = new Map<string, Stored>()
  const uploads = new Map<string, Buffer>()
  const server = createServer((request, response) => void answer(stored, uploads, request, response))
  return await listenForTest(context, server)
}

async function answer(
  stored: Map<string, Stored>,
  uploads: Map<string, Buffer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry')
  const body = await bodyOf(request)
  const [, kind = '', name = ''] = /\/(blobs\/uploads|blobs|manifests)\/([^/]*)$/.exec(pathname) ?? []
  const type = request.headers['content-type'] ?? 'application/octet-stream'
  if (kind === '') response.end('{}')
  else if (kind === 'blobs/uploads') {
    const id = name || String(uploads.size + 1)
    const bytes = Buffer.concat([uploads.get(id) ?? Buffer.alloc(0), body])
    uploads.set(id, bytes)
    if (request.method === 'PUT') stored.set(searchParams.get('digest') ?? '', { bytes, type })
    response.writeHead(request.method === 'PUT' ? 201 : 202, {
      location: `${pathname.slice(0, pathname.lastIndexOf('/'))}/${id}`,
    })
    response.end()
  } else if (request.method === 'PUT') {
    for (const key of [name, digestOf(body)]) stored.set(key, { bytes: body, type })
    response.writeHead(201, { 'docker-content-digest': digestOf(body), location: pathname }).end()
  } else show(stored.get(name), request, response)
}

function show(found: Stored | undefined, { method }: IncomingMessage, response: ServerResponse): void {
  if (!found) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[]}')
    return
  }
  const { bytes, type } = found
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    'docker-content-digest': digestOf(bytes),
  })
  response.end(method === 'HEAD' ? undefined : bytes)
}

/** An image of one layer, by the names of the files that skopeo's `dir:` has it in. */
export function imageFiles(layer: Buffer): Readonly<Record<string, Buffer>> {
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  )
  const described = (mediaType: string, bytes: Buffer) => ({
    mediaType,
    size: bytes.length,
    digest: digestOf(bytes),
  })
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: described('application/vnd.oci.image.config.v1+json', config),
    layers: [described('application/vnd.oci.image.layer.v1.tar', layer)],
  }
  const hexOf = (bytes: Buffer): string => digestOf(bytes).slice('sha256:'.length)
  return {
    version: Buffer.from('Directory Transport Version: 1.1\n'),
    'manifest.json': Buffer.from(JSON.stringify(manifest)),
    [hexOf(config)]: config,
    [hexOf(layer)]: layer,
  }
}
