/**
 * Serves the built console under `/console/`: its files as they were built, and its page for every other address, with
 * a content security policy that allows no inline script, no style without this response's nonce, and no other host
 * but the issuer's.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ConsoleSignIn } from '../identity/identity.ts'
import type { ControlSettings } from '../settings.ts'
import { policySources } from './policy-sources.ts'

const CONSOLE_PATH = '/console/'
/** Stands in the built page where the nonce of the response goes. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'
const NONCE_BYTES = 16
const YEAR = 'public, max-age=31536000, immutable'

export interface ConsoleOptions {
  readonly settings: Pick<ControlSettings, 'consoleDir' | 'gateDomain' | 'gatewayPublicUrl'>
  readonly signIn: ConsoleSignIn
}

/** Adds the console's routes, if it is to be served. Throws where its folder holds no built page. */
export async function addConsole(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  const { consoleDir, gateDomain, gatewayPublicUrl } = options.settings
  if (consoleDir === null) return
  const page = await readFile(join(consoleDir, 'index.html'), 'utf8')
  const issuerOrigin = new URL(options.signIn.issuer).origin
  const sendPage = (reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    return reply
      .headers(pageHeaders(nonce, issuerOrigin))
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE_PLACEHOLDER, nonce))
  }
  await app.register(fastifyStatic, {
    root: consoleDir,
    prefix: CONSOLE_PATH,
    // A route for each file, so that every other address is the page's.
    wildcard: false,
    globIgnore: ['index.html', '**/*.{br,gz}'],
    index: false,
    preCompressed: true,
    // Names of assets hold a hash of their content; the few other files are asked for anew.
    cacheControl: false,
    setHeaders: (reply, path) =>
      void reply.header('cache-control', path.includes('/assets/') ? YEAR : 'no-cache'),
  })
  const serve = (url: string, answer: (reply: FastifyReply) => FastifyReply): void =>
    void app.route({ method: ['GET', 'HEAD'], url, handler: (_request, reply) => answer(reply) })
  serve('/', (reply) => reply.redirect(CONSOLE_PATH))
  serve('/console/config.json', (reply) =>
    reply.header('cache-control', 'no-store').send({ ...options.signIn, gateDomain, gatewayPublicUrl }),
  )
  for (const url of ['/console', '/console/*']) serve(url, sendPage)
}

function pageHeaders(nonce: string, issuerOrigin: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    ["connect-src 'self'", ...policySources([issuerOrigin])].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  }
}
