/** nginx twice: an origin that answers a small page, and a plain proxy in front of it to compare with; or the origin alone. */
import { type Installation, startInstallation } from '../../test/support/installation.ts'
import { freePorts } from '../../test/support/loopback.ts'
import { type Nginx, startNginx } from './programs.ts'

export interface PlainProxy extends Nginx {
  readonly originPort: number
  readonly originUrl: string
  /** Where the proxy is reached. */
  readonly url: string
}

export interface Origin extends Nginx {
  readonly port: number
}

/** Starts an origin that answers a small page. */
export async function startOrigin(): Promise<Origin> {
  const [port = 0] = await freePorts(1)
  const nginx = await startNginx(
    `server { listen 127.0.0.1:${port}; location / { return 200 "a small page\\n"; } }`,
  )
  return { ...nginx, port }
}

/** Starts both. The proxy has so many `workers`, 1 unless given; `server` stands in the proxy's server block, `main` before its configuration; `stop` stops both. */
export async function startPlainProxy({ server = '', main = '', workers = 1 } = {}): Promise<PlainProxy> {
  const origin = await startOrigin()
  try {
    const [port = 0] = await freePorts(1)
    const proxy = await startNginx(
      `upstream origin { server 127.0.0.1:${origin.port}; keepalive 64; keepalive_requests 1000000000; }
       server { listen 127.0.0.1:${port}; ${server}
         location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
      main,
      workers,
    )
    return {
      pid: proxy.pid,
      originPort: origin.port,
      originUrl: `http://127.0.0.1:${origin.port}`,
      url: `http://127.0.0.1:${port}`,
      stop: async () => {
        await proxy.stop()
        await origin.stop()
      },
    }
  } catch (error) {
    await origin.stop()
    throw error
  }
}

/** Runs a comparison with an installation of its own, and stops both. */
export async function compareWithGate(
  proxy: PlainProxy,
  compare: (gate: Installation, proxy: PlainProxy) => Promise<void>,
): Promise<void> {
  try {
    const installation = await startInstallation()
    try {
      await compare(installation, proxy)
    } finally {
      await installation.remove()
    }
  } finally {
    await proxy.stop()
  }
}
