/**
 * Compresses the answers of the API that are worth it. That the length of an answer tells nothing of a secret in it (BREACH, CRIME)
 * rests on three things: only a GET is compressed, so no secret that is shown once, all of which POSTs answer; whoever calls shows
 * a bearer token, which no page of another origin can have a browser send; and the length varies at random by some
 * bytes that are no part of the answer.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { takesGzip } from '@sallyport/toolbox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Less than this stands in one packet either way. */
const BYTES_MIN = 1_400
const PADDING_BYTES_MAX = 64
/** Quick, and within a few percent of the best for JSON. */
const LEVEL = 5
const HEADER_BYTES = 10
const FLAGS_AT = 3
const HAS_EXTRA_FIELD = 4
/** The name of a part of the extra field that nobody reads (RFC 1952, section 2.3.1.1). */
const PADDING_NAME = 'SP'

const compress = promisify(gzip)

/** Adds the compression to a server. Answers with an `ETag` stay as they are: a strong one stands for these bytes (RFC 9110, section 8.8.3). */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isCompressible(request, reply)) return payload
    reply.header('vary', 'accept-encoding')
    if (payload.length < BYTES_MIN || !takesGzip(request.headers['accept-encoding'])) return payload
    const packed = padded(await compress(payload, { level: LEVEL }))
    reply.header('content-encoding', 'gzip').removeHeader('content-length')
    return packed
  })
}

const isCompressible = ({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean =>
  method === 'GET' &&
  routeOptions.config.permission !== undefined &&
  reply.statusCode === 200 &&
  !reply.hasHeader('etag') &&
  !reply.hasHeader('content-encoding')

/** The same data behind an extra field of random length, which whoever unpacks it skips (RFC 1952, section 2.3.1). */
export function padded(packed: Buffer): Buffer {
  const padding = randomBytes(randomInt(PADDING_BYTES_MAX + 1))
  const header = Buffer.from(packed.subarray(0, HEADER_BYTES))
  header[FLAGS_AT] = (header[FLAGS_AT] ?? 0) | HAS_EXTRA_FIELD
  const lengths = Buffer.alloc(6)
  lengths.writeUInt16LE(padding.length + 4, 0)
  lengths.write(PADDING_NAME, 2, 'latin1')
  lengths.writeUInt16LE(padding.length, 4)
  return Buffer.concat([header, lengths, padding, packed.subarray(HEADER_BYTES)])
}
