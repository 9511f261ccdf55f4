/**
 * The subcommands of `sallyport`. Each loads what it needs when it is chosen: the supervisor stays light.
 */
import { Command } from 'commander'
import { addApiCommands } from './commands/api-commands.ts'
import { addEvidenceCommands } from './commands/evidence-commands.ts'
import { addFirewallCommands } from './commands/firewall-commands.ts'
import { addGatewayCommands } from './commands/gateway-commands.ts'
import { addOperatorCommands } from './commands/operator-commands.ts'
import { readConfig } from './config.ts'
import { runRole } from './roles/run-role.ts'
import type { Settings } from './settings.ts'
import { readVersion } from './version.ts'

/** The command, ready to parse its arguments. */
export function createProgram(): Command {
  const program = new Command('sallyport')
    .description('A guarded door for web sites: the way in for external security researchers.')
    .version(readVersion(), '--version', 'print the version')
    .option(
      '--config <file>',
      'settings in YAML (default: sallyport.yaml in the data directory, where there is one)',
    )
    .showHelpAfterError()
    .hook('preAction', (_program, command) => refuseEmpty(command))

  const readSettings = (): Promise<Settings> =>
    readConfig(process.env, program.opts<{ config?: string }>().config)

  /** A role with a channel was started by a supervisor, its parent. */
  const supervisorPid = process.connected ? process.ppid : undefined

  program
    .command('start')
    .description('run everything on this machine: databases, control plane and gateway')
    .action(() =>
      runRole(async () => {
        const [settings, { startAll }] = await Promise.all([readSettings(), import('./roles/start.ts')])
        return startAll(settings, process.env, program.opts<{ config?: string }>().config)
      }),
    )

  program
    .command('control')
    .description('run the control plane alone')
    .option('--first-run', 'make an organization where there is none, and write first-run.json')
    .action((options: { firstRun?: boolean }) =>
      runRole(async () => {
        const [settings, { startControlRole }] = await Promise.all([
          readSettings(),
          import('./roles/control.ts'),
        ])
        return startControlRole(settings, { ...options, supervisorPid })
      }),
    )

  const gateway = program
    .command('gateway')
    .description('run one gateway alone')
    .action(() =>
      runRole(async () => {
        const [settings, { startGatewayRole }] = await Promise.all([
          readSettings(),
          import('./roles/gateway.ts'),
        ])
        return startGatewayRole(settings, supervisorPid)
      }),
    )

  addGatewayCommands(gateway, readSettings)
  addOperatorCommands(program, readSettings)
  addFirewallCommands(program, readSettings)
  addApiCommands(program, readSettings, process.env)
  addEvidenceCommands(program, readSettings, process.env)
  return program
}

/** An empty value, as of a variable that is not set, must not pass for none: a check would check less than was asked. */
function refuseEmpty(command: Command): void {
  const [name] = Object.entries(command.optsWithGlobals()).find(([, value]) => value === '') ?? []
  if (name !== undefined) {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    command.error(`error: option '${option}' is empty: give it a value, or leave it out`)
  }
  if (command.args.includes('')) command.error('error: an argument is empty')
}
