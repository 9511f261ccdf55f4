/** The routes of the identity provider: our pages, and everything else to the library. */

import { PASSWORD_CHARS_MAX } from '@sallyport/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../sign-in/accounts.ts'
import { HasherBusyError } from '../sign-in/passwords.ts'
import { consoleOrigins, consoleUrlOf, IDENTITY_PATH, SIGN_IN_PATH } from './configuration.ts'
import type { EmbeddedProvider } from './embedded-provider.ts'
import { keepsSecureCookies, showLibraryCookies } from './host-cookies.ts'
import { type HtmlPage, pageHeaders, renderPage } from './page.ts'
import { messagePage, passwordSetPage, setPasswordPage } from './pages.ts'
import type { FormRequest, PageAnswer, SignIn } from './sign-in.ts'

export interface IdentityRoutesOptions {
  readonly publicUrl: string
  readonly provider: Pick<EmbeddedProvider, 'handle'>
  readonly accounts: Accounts
  readonly signIn: SignIn
}

export const INVITATION_PATH = `${IDENTITY_PATH}/invitation`

/** The link by which a member sets a password, once. */
export const invitationUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${INVITATION_PATH}?token=${token}`

const FORM_BYTES_MAX = 16 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Adds the routes below `IDENTITY_PATH`. None of them reads a bearer token. */
export async function addIdentityRoutes(app: FastifyInstance, options: IdentityRoutesOptions): Promise<void> {
  // Addresses of these requests carry secrets: invitations, codes. So requests are not logged, only failures of ours.
  for (const add of [addPages, addLibrary])
    await app.register(
      (scope, _options, done) => {
        add(scope, options)
        done()
      },
      { logLevel: 'error' },
    )
}

/** The library reads bodies itself, so ours must not. */
function addLibrary(app: FastifyInstance, { provider }: IdentityRoutesOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.route({
    method: ['GET', 'POST', 'OPTIONS'],
    url: `${IDENTITY_PATH}/*`,
    handler: (request, reply) => {
      reply.hijack()
      provider.handle(request.raw, reply.raw)
    },
  })
}

function addPages(app: FastifyInstance, options: IdentityRoutesOptions): void {
  const { publicUrl, signIn } = options
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    FORM_TYPE,
    { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, publicUrl))
  app.addHook('preHandler', async (request, reply) => {
    if (request.method === 'POST' && !isFromOurPages(request, publicUrl))
      await sendPage(reply, 403, expired(publicUrl), publicUrl)
  })
  const target = `${SIGN_IN_PATH}/:uid`
  app.get(target, async (request, reply) =>
    send(reply, await signIn.show(pageRequest(request, reply, publicUrl)), publicUrl),
  )
  app.post(target, async (request, reply) =>
    send(reply, await signIn.submit(pageRequest(request, reply, publicUrl)), publicUrl),
  )
  addInvitation(app, options)
}

function addInvitation(app: FastifyInstance, { publicUrl, accounts }: IdentityRoutesOptions): void {
  const form = async (token: string, fault: string | null): Promise<HtmlPage | undefined> => {
    const member = await accounts.findInvited(token)
    return member && setPasswordPage({ ...member, action: INVITATION_PATH, token, fault })
  }
  const show = async (reply: FastifyReply, status: number, page: HtmlPage | undefined) =>
    page ? sendPage(reply, status, page, publicUrl) : sendPage(reply, 404, usedUp(publicUrl), publicUrl)

  app.get<{ Querystring: { token?: unknown } }>(INVITATION_PATH, async (request, reply) =>
    show(reply, 200, await form(String(request.query.token), null)),
  )
  app.post(INVITATION_PATH, async (request, reply) => {
    const { token = '', password = '', again = '' } = formOf(request)
    if (password !== again) return show(reply, 400, await form(token, 'The two passwords are not the same.'))
    if (password.length > 2 * PASSWORD_CHARS_MAX)
      return show(reply, 400, await form(token, 'That is too long.'))
    const outcome = await accounts.acceptInvitation(token, password, request.id)
    if (outcome.kind === 'fault') return show(reply, 400, await form(token, outcome.sentence))
    const page =
      outcome.kind === 'done' ? passwordSetPage({ consoleUrl: consoleUrlOf(publicUrl) }) : undefined
    return show(reply, 200, page)
  })
}

/**
 * Whether a form was sent from a page of ours. The sign-in is bound to the browser by a cookie that other sites' forms do
 * not carry (SameSite) and the invitation needs its secret; this is the second lock on both doors.
 */
function isFromOurPages(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = request.headers
  return origin === undefined || consoleOrigins(publicUrl).includes(origin)
}

const formOf = (request: FastifyRequest): Record<string, string> =>
  // Made by the parser above; absent where the form is empty.
  (request.body as Record<string, string> | undefined) ?? {}

const pageRequest = (request: FastifyRequest, reply: FastifyReply, publicUrl: string): FormRequest => ({
  raw: request.raw,
  cookie: keepsSecureCookies(publicUrl)
    ? showLibraryCookies(request.raw, request.url.split('?', 1)[0] ?? '')
    : request.headers.cookie,
  response: reply.raw,
  form: formOf(request),
  address: request.ip,
  requestId: request.id,
})

async function send(reply: FastifyReply, answer: PageAnswer, publicUrl: string): Promise<FastifyReply> {
  if (answer.kind === 'page') {
    if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds)
    return sendPage(reply, answer.status, answer.page, publicUrl)
  }
  return reply
    .header('cache-control', 'no-store')
    .header('set-cookie', answer.cookie)
    .redirect(answer.location, 303)
}

const sendPage = (reply: FastifyReply, status: number, page: HtmlPage, publicUrl: string): FastifyReply =>
  reply
    .code(status)
    .headers(pageHeaders(consoleOrigins(publicUrl)))
    .send(renderPage(page))

const expired = (publicUrl: string): HtmlPage =>
  messagePage({
    title: 'This sign-in has ended',
    sentence: 'It was open for too long, or was begun in another browser. Begin again from the console.',
    consoleUrl: consoleUrlOf(publicUrl),
  })

const usedUp = (publicUrl: string): HtmlPage =>
  messagePage({
    title: 'This link is not valid',
    sentence:
      'It was used, has expired, or was replaced. An owner of your organization can give you a new one.',
    consoleUrl: consoleUrlOf(publicUrl),
  })

const failed = (publicUrl: string, sentence: string): HtmlPage =>
  messagePage({ title: 'That did not work', sentence, consoleUrl: consoleUrlOf(publicUrl) })

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  if (isSessionGone(error)) return sendPage(reply, 400, expired(publicUrl), publicUrl)
  if (error instanceof HasherBusyError)
    return sendPage(reply, 503, failed(publicUrl, 'Too many people sign in right now. Try again.'), publicUrl)
  const status = statusOf(error)
  if (status < 500)
    return sendPage(reply, status, failed(publicUrl, 'The form could not be read.'), publicUrl)
  request.log.error({ err: error }, 'a page of the identity provider failed')
  return sendPage(reply, 500, failed(publicUrl, 'Something went wrong on our side.'), publicUrl)
}

/** An error of the library, which is not loaded for its class. */
const isSessionGone = (error: unknown): boolean => error instanceof Error && error.name === 'SessionNotFound'

/** Fastify's own errors say their status: the body is too large, or not a form. */
const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500
