/** The recording of one application: its name before the recorder, its folder, its author, and the browser that uses it. */
import { createHash, X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type Browser, startBrowser } from '../../test/browser/support/chromium.ts'
import { type Author, createAuthor } from './content/author.ts'
import { type ProgramOptions, startProgram } from './programs.ts'
import { type Recorder, type Route, type SeenAnswer, startRecorder } from './recorder.ts'
import type { RecordingWriter } from './recording.ts'

/** An application that can be recorded. */
export interface RecordedApplication {
  readonly name: string
  /** What it is, for people. */
  readonly what: string
  /** Applications of one group share what they have from npm. */
  readonly group?: string
  /** Of the requests that applications are recorded for; 1 by default. */
  readonly share?: number
  /** Debian's packages that it needs, beside those of all recordings. */
  readonly debian?: readonly string[]
  /** Packages of npm with their exact versions. */
  readonly npm?: Readonly<Record<string, string>>
  /** Starts it and uses it until the session has enough. */
  record(session: RecordingSession): Promise<void>
}

export interface RecordingSession {
  /** Where the application is installed from npm. */
  readonly installed: string
  /** An empty folder. */
  readonly folder: string
  readonly author: Author
  /** Address of the recorder as a proxy. */
  readonly proxyUrl: string
  /** Puts what listens on a port of loopback behind `https://<name>.example.org`, and gives that address. */
  route(name: string, route: Route): string
  start(command: string, args: readonly string[], options: ProgramOptions): Promise<void>
  /** A page in a browser that reaches nothing but what is routed. The first call starts it. */
  openPage(): Promise<Page>
  /**
   * Runs `act` round after round, until enough is recorded or the time is over. A round that fails is printed; ten in a row fail
   * the session.
   */
  repeat(act: (round: number) => Promise<void>): Promise<void>
  readonly carryingCode: Recorder['carryingCode']
}

const FAILURES_MAX = 10
/** Applications in PHP are slow where everything is theirs to compile. */
const ACTION_WAIT_MS = 30_000
/** A browser without a window says so; those of people have one. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const SWITCHES = [`--user-agent=${USER_AGENT}`, '--disable-features=HttpsUpgrades,OptimizationHints']

/** Options of a recording. */
export interface SessionOptions {
  readonly workFolder: string
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  readonly writer: RecordingWriter
  /** Requests to record of an application. */
  readonly requests: number
  /** Time after which no further round begins. */
  readonly seconds: number
  /** A gate through which everything goes. */
  readonly gate?: SessionGate
  readonly onAnswer?: (answer: SeenAnswer) => void
  /** Tells how each round ended: with the error where it failed. */
  readonly onRound?: (error?: unknown) => void
}

/** A gate before the names of a session. */
export interface SessionGate {
  readonly port: number
  /** What lets requests in; names and values in turn. */
  readonly headers: readonly string[]
  /** Puts what listens on a port of loopback behind a host name of it. */
  addSite(host: string, originPort: number): void
}

/** Records one application from its start to its end. */
export async function recordApplication(
  application: RecordedApplication,
  installed: string,
  options: SessionOptions,
): Promise<void> {
  const routes = new Map<string, Route>()
  const { workFolder, certificate, writer, requests, seconds, gate, onAnswer, onRound } = options
  const recorder = await startRecorder({
    ...{ routes, certificate, write: writer.write },
    ...{ through: gate, onAnswer },
  })
  const endings: (() => Promise<void>)[] = [recorder.close]
  const folder = join(workFolder, `${application.name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  let browser: Browser | undefined
  const session: RecordingSession = {
    installed,
    folder,
    author: createAuthor(application.name),
    proxyUrl: recorder.url,
    route: (name, route) => {
      routes.set(`${name}.example.org`, { application: application.name, ...route })
      if (route.port !== undefined) gate?.addSite(`${name}.example.org`, route.port)
      return `https://${name}.example.org`
    },
    start: async (command, args, options) => {
      endings.push(await startProgram(command, args, options))
    },
    openPage: async () => {
      if (!browser) {
        browser = await startBrowser({
          switches: [...SWITCHES, trustSwitch(certificate.cert), `--proxy-server=${recorder.url}`],
        })
        endings.push(browser.close)
      }
      const page = await browser.context.newPage()
      page.setDefaultTimeout(ACTION_WAIT_MS)
      page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined))
      return page
    },
    repeat: (act) => {
      const wanted = requests * (application.share ?? 1)
      const end = performance.now() + 1_000 * seconds
      const isEnough = () => writer.count(application.name) >= wanted || performance.now() > end
      return repeat(act, isEnough, onRound)
    },
    carryingCode: recorder.carryingCode,
  }
  try {
    await application.record(session)
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

/** Trust in one key: of what comes with a certificate that is in error Chromium keeps nothing, and would ask for each file again. */
export function trustSwitch(certificate: Buffer): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`
}

async function repeat(
  act: (round: number) => Promise<void>,
  isEnough: () => boolean,
  onRound: SessionOptions['onRound'],
): Promise<void> {
  let failures = 0
  for (let round = 0; !isEnough(); round++) {
    try {
      await act(round)
      failures = 0
      onRound?.()
    } catch (error) {
      onRound?.(error)
      console.error(`  round ${round}: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
      if (++failures >= FAILURES_MAX) throw error
    }
  }
}
