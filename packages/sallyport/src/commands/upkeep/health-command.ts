/** `sallyport health`: whether what runs here would serve. For health checks of containers, which have no other program. */
import { Argument, type Command } from 'commander'
import { reasonOf } from '../../doctor/finding.ts'
import { PARTS, type Part, partUrl } from '../../roles/loopback-url.ts'
import type { Settings } from '../../settings.ts'
import { json, type ReadSettings } from '../acting.ts'
import { type OutputOptions, print } from '../print.ts'

interface Health {
  readonly part: Part
  readonly ready: boolean
  /** What it answered, or why it did not. */
  readonly detail: string
}

const TIMEOUT_MS = 3_000
const DETAIL_CHARACTERS_MAX = 300

/** Adds `health` to the program. */
export function addHealthCommand(program: Command, readSettings: ReadSettings): void {
  json(program.command('health'))
    .addArgument(new Argument('[parts...]', 'which of them runs here (default: both)').choices(PARTS))
    .description('ask the parts that run here whether they are ready; exits with 1 where one is not')
    .action(async (parts: readonly Part[], options: OutputOptions) => {
      const settings = await readSettings()
      const asked = parts.length > 0 ? parts : PARTS
      const answers = await Promise.all(asked.map((part) => ask(part, settings)))
      print(answers, options)
      if (answers.some(({ ready }) => !ready)) process.exitCode = 1
    })
}

async function ask(part: Part, settings: Settings): Promise<Health> {
  const base = partUrl(part, settings)
  try {
    const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { part, ready: answer.ok, detail: (await answer.text()).slice(0, DETAIL_CHARACTERS_MAX) }
  } catch (error) {
    return { part, ready: false, detail: `${base}: ${reasonOf(error)}` }
  }
}
