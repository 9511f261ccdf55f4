/** What an operator closes and opens at one gateway, by its admin port: for when the control plane cannot. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClosureAct, ClosureScope } from '@sallyport/contract/words'
import type { Command } from 'commander'
import { OperatorError } from '../operator-error.ts'
import { whoRuns } from '../process-identity.ts'
import { loopbackUrl } from '../roles/loopback-url.ts'
import { adminTokenFile } from '../secrets.ts'
import { SETTINGS, type Settings } from '../settings.ts'
import { json, type ReadSettings } from './acting.ts'
import { type OutputOptions, print } from './print.ts'

interface ClosureOptions extends OutputOptions {
  readonly url?: string
  readonly site?: string
  readonly researcher?: string
  readonly reason?: string
}

interface ClosureState {
  readonly closed: readonly ClosureAct[]
  readonly error?: string
}

const TIMEOUT_MS = 10_000

/** Adds `close`, `open` and `closed` to the command of the gateway. */
export function addGatewayCommands(gateway: Command, readSettings: ReadSettings): void {
  for (const [act, description] of [
    [
      'close',
      'close everything, a site or a researcher at this gateway, at once, whatever the control plane says',
    ],
    ['open', 'open again what was closed at this gateway by the same words'],
  ] as const)
    addressed(gateway.command(act))
      .option('--site <site>', 'this site alone, by its id or gated name')
      .option('--researcher <id>', 'this researcher alone')
      .requiredOption('--reason <text>', 'why, for the log of the installation')
      .description(description)
      .action(async (options: ClosureOptions) => {
        const body = { act, scope: scopeOf(options), by: whoRuns(), reason: options.reason ?? '' }
        print(presentState(await call(await readSettings(), options, body)), options)
      })
  addressed(gateway.command('closed'))
    .description('list what is closed at this gateway')
    .action(async (options: ClosureOptions) =>
      print(presentState(await call(await readSettings(), options)), options),
    )
}

const addressed = (command: Command): Command =>
  json(command).option('--url <url>', "the gateway's admin port, where it is not the one of the settings")

function scopeOf({ site, researcher }: ClosureOptions): ClosureScope {
  if (site !== undefined && researcher !== undefined)
    throw new OperatorError('name a site or a researcher, not both')
  if (site !== undefined) return { kind: 'site', id: site }
  return researcher === undefined ? { kind: 'everything', id: '' } : { kind: 'researcher', id: researcher }
}

async function call(settings: Settings, { url }: ClosureOptions, body?: object): Promise<ClosureState> {
  const base = url ?? loopbackUrl(settings.gatewayAdminHost, settings.gatewayAdminPort)
  const answer = await fetch(new URL('/closures', base), {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${adminTokenOf(settings)}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new OperatorError(`the gateway at ${base} does not answer: ${error.message}`)
  })
  const state: ClosureState = await answer.json()
  if (!answer.ok) throw new OperatorError(`the gateway answered ${answer.status}: ${state.error ?? ''}`)
  return state
}

function adminTokenOf({ gatewayAdminToken, dataDir }: Settings): string {
  const file = adminTokenFile(join(dataDir, 'gateway'))
  if (gatewayAdminToken !== undefined) return gatewayAdminToken
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  throw new OperatorError(
    `there is no ${file}: run this with the data directory of the gateway, or set ${SETTINGS.gatewayAdminToken.variable}`,
  )
}

const presentState = ({ closed }: ClosureState) =>
  closed.map(({ scope, time, by, reason }) => ({
    closed: scope.kind,
    id: scope.id,
    since: new Date(time).toISOString(),
    by,
    reason,
  }))
