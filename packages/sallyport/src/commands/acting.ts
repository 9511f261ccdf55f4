/** What the operator's commands share. */
import type { OpenOperator } from '@sallyport/control'
import type { Command } from 'commander'
import type { Settings } from '../settings.ts'
import { type OutputOptions, print } from './print.ts'

export type ReadSettings = () => Promise<Settings>
type Act<Options> = (operator: OpenOperator, options: Options, argument: string) => Promise<object>

/** Runs `act` on the operator's acts and prints what it answers. `mayCreate`: also where there is no installation yet. */
export const acting =
  <Options>(readSettings: ReadSettings, act: Act<Options>, mayCreate = false) =>
  async (...given: unknown[]): Promise<void> => {
    // Commander hands over the arguments, the options and, last, the command itself.
    const command = given.at(-1) as Command
    const options = command.opts<Options & OutputOptions>()
    const { withOperator } = await import('./with-operator.ts')
    const argument = typeof given[0] === 'string' ? given[0] : ''
    const settings = await readSettings()
    print(await withOperator(settings, (operator) => act(operator, options, argument), mayCreate), options)
  }

/** Adds `remove <name>` to a group; `remove` throws where it cannot be. */
export const addRemove = (
  group: Command,
  readSettings: ReadSettings,
  { argument, description }: { readonly argument: string; readonly description: string },
  remove: (operator: OpenOperator, name: string) => Promise<void>,
): Command =>
  json(group.command('remove'))
    .argument('<name>', argument)
    .description(description)
    .action(
      acting(readSettings, async (operator, _options, name) => {
        await remove(operator, name)
        return { removed: name }
      }),
    )

/** Adds the option by which a command is asked for JSON. */
export const json = (command: Command): Command => command.option('--json', 'print JSON')
