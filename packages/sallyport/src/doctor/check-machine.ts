/** What is of this machine: ports and disk. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { CONTROL_PORTS, claimPorts, gatewayPorts } from '../ports.ts'
import { type Part, partUrl } from '../roles/loopback-url.ts'
import type { Settings } from '../settings.ts'
import { type Finding, failed, ok, reasonOf, warning } from './finding.ts'

const TIMEOUT_MS = 3_000
const FREE_BYTES_MIN = 2 ** 30
const FREE_PART_MIN = 0.05

/** Whether each port is free, or one that this installation has. */
export async function checkPorts(settings: Settings, parts: readonly Part[]): Promise<Finding[]> {
  const names = {
    control: CONTROL_PORTS,
    gateway: gatewayPorts(settings),
  }
  const found = parts.map(async (part) => {
    const isRunning = await isAlive(partUrl(part, settings))
    return Promise.all(
      names[part].map(async (name): Promise<Finding> => {
        const check = `port ${settings[name] || 'of any number'} (${name})`
        try {
          await claimPorts(settings, [name])
          return isRunning && settings[name]
            ? warning(
                check,
                `nobody listens there, although the ${part} runs`,
                'compare the settings with those that it was started with',
              )
            : ok(check, 'free')
        } catch (error) {
          if (!(error instanceof OperatorError)) return failed(check, reasonOf(error), 'choose another port')
          return isRunning
            ? ok(check, `the ${part} has it`)
            : failed(check, error.message, `the ${part} cannot start until then`)
        }
      }),
    )
  })
  return (await Promise.all(found)).flat()
}

async function isAlive(base: string): Promise<boolean> {
  try {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return (await answer.text()) === '{"status":"alive"}'
  } catch {
    return false
  }
}

/** Whether the data directory can be written, and has room. */
export function checkDisk({ dataDir, journalBytesMax }: Settings): Finding {
  const check = `disk of ${dataDir}`
  // Before the first start it is not there.
  let folder = dataDir
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, blocks, bsize, ffree, files } = statfsSync(folder)
    const free = bavail * bsize
    const said = `${(free / 2 ** 30).toFixed(1)} GiB free (${Math.round((100 * bavail) / blocks)} %)`
    const advice = 'make room: on a full disk no request is admitted, since none could be recorded'
    if (free < FREE_BYTES_MIN / 10 || (files > 0 && ffree === 0)) return failed(check, said, advice)
    if (free < FREE_BYTES_MIN || bavail / blocks < FREE_PART_MIN) return warning(check, said, advice)
    if (journalBytesMax !== undefined && journalBytesMax > free)
      return warning(
        check,
        said,
        'lower SALLYPORT_JOURNAL_BYTES_MAX: the journal may take more than there is',
      )
    return ok(check, said)
  } catch (error) {
    return failed(check, reasonOf(error), 'give it to who runs Sallyport')
  }
}
