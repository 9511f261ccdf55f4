/** `sallyport drain`: what the journals of a gateway hold that does not run, delivered to the control plane. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DrainResult } from '@sallyport/gateway'
import { type Command, InvalidArgumentError } from 'commander'
import { lockForCommand } from '../../directory-lock.ts'
import { OperatorError } from '../../operator-error.ts'
import { requireSafeControlUrls } from '../../roles/control-url.ts'
import { ENDING_SIGNALS } from '../../roles/run-role.ts'
import { requireGatewayToken } from '../../secrets.ts'
import type { Settings } from '../../settings.ts'
import { json, type ReadSettings } from '../acting.ts'
import { type OutputOptions, print } from '../print.ts'

interface DrainOptions extends OutputOptions {
  readonly timeout: number
}

const TIMEOUT_SECONDS = 60
const TIMEOUT_SECONDS_MAX = 86_400

/** Adds `drain` to the program. */
export function addDrainCommand(program: Command, readSettings: ReadSettings): void {
  json(program.command('drain'))
    .option(
      '--timeout <seconds>',
      'give up when the control plane has taken nothing for so long',
      readSeconds,
      TIMEOUT_SECONDS,
    )
    .description(
      'deliver what the journals of the gateway hold, which is not running; exits with 1 where something is left',
    )
    .action(async (options: DrainOptions) => {
      const result = await drain(await readSettings(), options.timeout)
      const { events, batches, quarantinedBatches, left, unreadable } = result
      print({ events, batches, quarantinedBatches, left }, options)
      for (const line of unreadable) console.error(`sallyport: ${line}`)
      if (left > 0) console.error(`sallyport: ${whyLeft(result, options.timeout)}`)
      if (left > 0 || unreadable.length > 0) process.exitCode = 1
    })
}

async function drain(settings: Settings, timeoutSeconds: number): Promise<DrainResult & Interruption> {
  const controlUrls = requireSafeControlUrls(settings)
  const dataDir = join(settings.dataDir, 'gateway')
  if (!existsSync(dataDir))
    throw new OperatorError(
      `there is no ${dataDir}: set SALLYPORT_DATA_DIR to the data directory that the gateway had`,
    )
  const lock = await lockForCommand(dataDir)
  try {
    const { drainGateway, isEnrolled } = await import('@sallyport/gateway')
    const gatewayToken = isEnrolled(dataDir) ? '' : requireGatewayToken(settings)
    const gatewayId = await readGatewayId(settings, dataDir)
    const stop = new AbortController()
    for (const [signal] of ENDING_SIGNALS) process.on(signal, () => stop.abort())
    const result = await drainGateway({
      ...{ dataDir, gatewayId, gatewayToken, controlUrls },
      timeoutMs: timeoutSeconds * 1_000,
      signal: stop.signal,
      log: (level, line) => {
        if (level !== 'info') console.error(`sallyport: ${line}`)
      },
    }).catch((error: Error) => {
      throw new OperatorError(error.message)
    })
    return { ...result, isInterrupted: stop.signal.aborted }
  } finally {
    lock.release()
  }
}

interface Interruption {
  readonly isInterrupted: boolean
}

/** Its events are kept under the name that it had: a new one would be another gateway's. */
async function readGatewayId(settings: Settings, dataDir: string): Promise<string> {
  if (!settings.gatewayId && !existsSync(join(dataDir, 'id')))
    throw new OperatorError(
      `there is no ${join(dataDir, 'id')}: set SALLYPORT_GATEWAY_ID to the name that the gateway had`,
    )
  const { gatewayIdOf } = await import('../../roles/gateway.ts')
  return gatewayIdOf(settings, dataDir)
}

function whyLeft({ left, reason, isInterrupted }: DrainResult & Interruption, timeoutSeconds: number) {
  const why = isInterrupted
    ? 'it was interrupted'
    : `the control plane took nothing for ${timeoutSeconds} s${reason && ` (${reason})`}`
  return `${left} events are still in the journals: ${why}; run it again`
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (!/^\d{1,5}$/.test(text) || seconds < 1 || seconds > TIMEOUT_SECONDS_MAX)
    throw new InvalidArgumentError(`It is not a number of seconds from 1 to ${TIMEOUT_SECONDS_MAX}.`)
  return seconds
}
