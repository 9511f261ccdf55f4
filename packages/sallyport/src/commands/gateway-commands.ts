/**
 * What an operator closes and opens at one gateway, by its admin port: for when the control plane cannot; and the commands by which
 * gateways are enrolled: the operator makes tokens and revokes, the gateway uses a token up.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ClosureAct,
  type ClosureScope,
  ENROLMENT_TOKEN_PREFIX,
  isSecretKey,
} from '@sallyport/contract/words'
import type { Command } from 'commander'
import { lockForCommand, notWritable } from '../directory-lock.ts'
import { isDiskFull, OperatorError, systemErrorCode } from '../operator-error.ts'
import { makePrivateDirectory, readGivenFile } from '../private-file.ts'
import { whoRuns } from '../process-identity.ts'
import { requireControlUrls, requireSafeControlUrl } from '../roles/control-url.ts'
import { partUrl } from '../roles/loopback-url.ts'
import { adminTokenFile } from '../secrets.ts'
import type { Settings } from '../settings.ts'
import { acting, json, type ReadSettings } from './acting.ts'
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
  const base = url ?? partUrl('gateway', settings)
  const address = URL.parse('/closures', base)
  if (!address?.protocol.startsWith('http'))
    throw new OperatorError(
      `--url: ${base} is not the URL of an admin port: it begins with http:// or https://`,
    )
  const answer = await fetch(address, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${adminTokenOf(settings)}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new OperatorError(`the gateway at ${base} does not answer: ${error.message}`)
  })
  const state: ClosureState = await answer.json().catch(() => {
    throw new OperatorError(
      `what answers at ${base} is not a gateway's admin port: it answered ${answer.status}, and no JSON`,
    )
  })
  if (!answer.ok) throw new OperatorError(`the gateway answered ${answer.status}: ${state.error ?? ''}`)
  return state
}

function adminTokenOf({ gatewayAdminToken, dataDir }: Settings): string {
  const file = adminTokenFile(join(dataDir, 'gateway'))
  if (gatewayAdminToken !== undefined) return gatewayAdminToken
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  throw new OperatorError(
    `there is no ${file}: run this with the data directory of the gateway, or set SALLYPORT_GATEWAY_ADMIN_TOKEN`,
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

const TOKEN_VARIABLE = 'SALLYPORT_ENROLMENT_TOKEN'

interface TokenOptions {
  readonly gateway?: string
  readonly organization?: readonly string[]
}

/** Adds `token`, `list` and `revoke` to the operator's group of gateways. */
export function addGateways(group: Command, readSettings: ReadSettings): void {
  json(group.command('token'))
    .option('--gateway <id>', 'for this gateway alone, also one that was enrolled or revoked before')
    .option(
      '--organization <id...>',
      'the organizations that the gateway serves, and is told of (default: all)',
    )
    .description('make a token that enrols one gateway, once, within a quarter of an hour')
    .action(
      acting(readSettings, (operator, { gateway, organization }: TokenOptions) =>
        operator.makeEnrolmentToken({ gatewayId: gateway ?? null, organizations: organization ?? null }),
      ),
    )
  json(group.command('list'))
    .description('list the gateways that have, or had, a credential of their own')
    .action(acting(readSettings, (operator) => operator.listEnrolledGateways()))
  json(group.command('revoke'))
    .argument('<id>', 'the gateway')
    .description('let a gateway in no more, within a second; it serves until its lease is over')
    .action(
      acting(readSettings, async (operator, _options, id) => {
        await operator.revokeGateway(id)
        return { revoked: id }
      }),
    )
}

/** Adds `enroll` to the command of the gateway. */
export function addEnroll(
  gateway: Command,
  readSettings: ReadSettings,
  environment: NodeJS.ProcessEnv,
): void {
  json(gateway.command('enroll'))
    .option(
      '--token-file <file>',
      `file with the token, - for the standard input (default: ${TOKEN_VARIABLE} of the environment)`,
    )
    .description('give this gateway, which is not running, a credential of its own')
    .action(async (options: OutputOptions & { tokenFile?: string }) => {
      const settings = await readSettings()
      const token = readToken(options.tokenFile, environment)
      const [controlUrl] = requireControlUrls(settings)
      requireSafeControlUrl(controlUrl, settings)
      const dataDir = join(settings.dataDir, 'gateway')
      const lock = await lockForCommand(dataDir)
      try {
        makePrivateDirectory(dataDir)
        const [{ enrollGateway }, { gatewayIdOf }] = await Promise.all([
          import('@sallyport/gateway'),
          import('../roles/gateway.ts'),
        ])
        const gatewayId = gatewayIdOf(settings, dataDir)
        await enrollGateway({ controlUrl, dataDir, gatewayId, token }).catch((error: Error) => {
          throw isDiskFull(error) ? error : new OperatorError(error.message)
        })
        print({ enrolled: gatewayId }, options)
      } catch (error) {
        throw isDiskFull(error) ? notWritable(dataDir, systemErrorCode(error)) : error
      } finally {
        lock.release()
      }
    })
}

/** Not an argument: everybody on the machine sees those. */
function readToken(file: string | undefined, environment: NodeJS.ProcessEnv): string {
  const token =
    (file === undefined ? environment[TOKEN_VARIABLE] : readGivenFile('--token-file', file))?.trim() ?? ''
  if (token === '')
    throw new OperatorError(
      `there is no token: name its file with --token-file, or set ${TOKEN_VARIABLE}; \`sallyport gateways token\` makes one`,
    )
  if (!isSecretKey(ENROLMENT_TOKEN_PREFIX, token))
    throw new OperatorError(
      `this is no token that enrols a gateway: it begins with ${ENROLMENT_TOKEN_PREFIX}, and is copied whole`,
    )
  return token
}
