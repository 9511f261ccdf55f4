/** What a browser does in a sign-in, over plain HTTP: keeps cookies, follows redirects, sends forms. */
import { createHash, randomBytes } from 'node:crypto'

export interface Answer {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

interface Cookie {
  readonly value: string
  readonly path: string
}

/** Keeps cookies by name and path, as long as they are not deleted. */
export class Browser {
  readonly cookies = new Map<string, Cookie>()

  /** Sends one request. */
  async send(url: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers)
    const cookie = this.cookieHeader(new URL(url).pathname)
    if (cookie) headers.set('cookie', cookie)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.keep(line)
    return { status: response.status, url, headers: response.headers, body: await response.text() }
  }

  /** Sends a request and follows redirects, but not to the console: where that is, the answer is the redirect. */
  async go(url: string, init: RequestInit = {}): Promise<Answer> {
    let answer = await this.send(url, init)
    for (let redirects = 0; redirects < 10; redirects++) {
      const location = answer.headers.get('location')
      if (location === null) return answer
      const target = new URL(location, answer.url).href
      if (new URL(target).pathname.startsWith('/console/')) return { ...answer, url: target }
      answer = await this.send(target)
    }
    throw new Error('too many redirects')
  }

  /** Sends the form of a page, as its own page would. */
  submit(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return this.go(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    })
  }

  private cookieHeader(path: string): string {
    return [...this.cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(([key, cookie]) => `${key.split(' ')[0]}=${cookie.value}`)
      .join('; ')
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    const has = (pattern: RegExp): boolean => attributes.some((attribute) => pattern.test(attribute))
    if (name.startsWith('__Host-') && !(has(/^secure$/i) && has(/^path=\/$/i) && !has(/^domain=/i)))
      throw new Error(`a browser does not keep ${line}`)
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const expires = attributes.find((attribute) => /^expires=/i.test(attribute))?.slice(8)
    if (expires && Date.parse(expires) < Date.now()) this.cookies.delete(`${name} ${path}`)
    else this.cookies.set(`${name} ${path}`, { value, path })
  }
}

export interface Tokens {
  readonly access_token: string
  readonly id_token: string
  readonly refresh_token: string
}

export interface Authorization {
  readonly url: string
  readonly verifier: string
  readonly state: string
}

/** The address that the console sends the browser to, to sign in. */
export function authorization(publicUrl: string, changes: Record<string, string> = {}): Authorization {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('hex')
  const parameters = new URLSearchParams({
    client_id: 'sallyport-console',
    response_type: 'code',
    redirect_uri: `${publicUrl}/console/callback`,
    scope: 'openid email profile',
    resource: `${publicUrl}/api`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    ...changes,
  })
  return { url: `${publicUrl}/identity/auth?${parameters}`, verifier, state }
}

/** Asks the token endpoint. */
export async function tokenRequest(
  publicUrl: string,
  parameters: Record<string, string>,
): Promise<{ status: number; body: Tokens & { error?: string } }> {
  const response = await fetch(`${publicUrl}/identity/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: 'sallyport-console', ...parameters }).toString(),
  })
  return { status: response.status, body: (await response.json()) as Tokens & { error?: string } }
}

/** Exchanges the code that the console was sent. */
export async function exchangeCode(
  publicUrl: string,
  { verifier }: Authorization,
  callback: string,
): Promise<Tokens> {
  const code = new URL(callback).searchParams.get('code') ?? ''
  const { status, body } = await tokenRequest(publicUrl, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: `${publicUrl}/console/callback`,
  })
  if (status !== 200) throw new Error(`the code was not exchanged: ${JSON.stringify(body)}`)
  return body
}

/** A whole sign-in, from the console and back to it. */
export async function signIn(
  publicUrl: string,
  who: { email: string; password: string },
  browser = new Browser(),
): Promise<Tokens> {
  const begun = authorization(publicUrl)
  const page = await browser.go(begun.url)
  const back = page.url.includes('/console/')
    ? page
    : await browser.submit(page.url, { email: who.email, password: who.password })
  return exchangeCode(publicUrl, begun, back.url)
}
