/** Modest live traffic of the demo: three researchers with their habits, and now and then a stranger. */
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Demo, DemoResearcher } from './installation.ts'

interface Habit {
  readonly userAgent: string
  readonly targets: readonly string[]
  /** Mean pause between two requests. */
  readonly pauseMs: number
  /** Requests sent at once, now and then. */
  readonly burst: number
}

const HABITS: readonly Habit[] = [
  {
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    targets: [
      '/',
      '/products',
      '/products/1',
      '/products/3',
      '/search?q=lantern',
      '/reports/slow',
      '/admin',
      '/go?to=/',
    ],
    pauseMs: 700,
    burst: 4,
  },
  {
    userAgent: 'curl/8.14.1',
    targets: [
      '/api/orders/1001',
      '/api/orders/1002',
      '/api/orders/9999',
      "/products/1'--",
      '/files?name=../../etc/passwd',
      '/..;/admin/users',
      '/%2561dmin',
    ],
    pauseMs: 500,
    burst: 1,
  },
  {
    userAgent: 'sqlmap/1.9.8#stable (https://sqlmap.org)',
    targets: [
      '/search?q=1%27%20OR%20%271%27=%271',
      '/search?q=1%20UNION%20SELECT%20name,password%20FROM%20users--',
      '/search?q=%3Cscript%3Ealert(1)%3C/script%3E',
      '/products/1%20AND%20SLEEP(5)',
      '/files?name=%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '/.git/config',
      '/wp-login.php',
    ],
    pauseMs: 250,
    burst: 12,
  },
]
const STRANGER_PAUSE_MS = 9_000

/** Sends traffic through the gate until the signal is aborted. */
export async function sendTraffic(gatewayUrl: string, demo: Demo, signal: AbortSignal): Promise<void> {
  const hosts = demo.sites.map((site) => site.gatedName)
  const send = (host: string, target: string, userAgent: string, key?: string): Promise<void> =>
    sendOne(gatewayUrl, target, { host, 'user-agent': userAgent, ...(key && { 'sallyport-key': key }) })

  const act = async (researcher: DemoResearcher, habit: Habit): Promise<void> => {
    while (!signal.aborted) {
      const count = Math.random() < 0.05 ? habit.burst : 1
      const host = pick(hosts.slice(0, Math.random() < 0.03 ? 3 : 2))
      await Promise.all(
        Array.from({ length: count }, () => send(host, pick(habit.targets), habit.userAgent, researcher.key)),
      )
      await pause(habit.pauseMs, signal)
    }
  }
  const stray = async (): Promise<void> => {
    while (!signal.aborted) {
      await send(pick(hosts), '/', 'Mozilla/5.0 (compatible; a crawler)')
      await pause(STRANGER_PAUSE_MS, signal)
    }
  }
  await Promise.all([
    ...demo.researchers.flatMap((researcher, index) => {
      const habit = HABITS[index % HABITS.length]
      return habit ? [act(researcher, habit)] : []
    }),
    stray(),
  ])
}

/** Sends a request to the gateway and resolves when it has ended, however that was. */
export function sendOne(gatewayUrl: string, target: string, headers: Record<string, string>): Promise<void> {
  const { hostname, port } = new URL(gatewayUrl)
  return new Promise((done) => {
    const call = request({ hostname, port, path: target, headers, timeout: 10_000 }, (answer) => {
      answer.resume()
      answer.on('close', done)
    })
    call.on('timeout', () => call.destroy())
    // The gate may be restarting; the demo goes on.
    call.on('error', () => done())
    call.end()
  })
}

const pause = (meanMs: number, signal: AbortSignal): Promise<void> =>
  delay(meanMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined)

/** One of several; `items` is never empty. */
const pick = (items: readonly string[]): string => items[Math.floor(Math.random() * items.length)] ?? ''
