/**
 * The subcommands of `sallyport`. Each loads what it needs when it is chosen: the supervisor stays light.
 */
import { Command, InvalidArgumentError } from 'commander'
import { addApiCommands } from './commands/api-commands.ts'
import { addEvidenceCommands } from './commands/evidence-commands.ts'
import { addFirewallCommands } from './commands/firewall-commands.ts'
import { addEnroll, addGatewayCommands } from './commands/gateway-commands.ts'
import { addOperatorCommands } from './commands/operator-commands.ts'
import { addBackupCommands } from './commands/upkeep/backup-commands.ts'
import { addDoctorCommand } from './commands/upkeep/doctor-command.ts'
import { addDrainCommand } from './commands/upkeep/drain-command.ts'
import { addHealthCommand } from './commands/upkeep/health-command.ts'
import { addTrafficCommands } from './commands/upkeep/traffic-commands.ts'
import type { ResearcherProxyOptions } from './researcher-proxy/researcher-proxy.ts'
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

  const readSettings = async (): Promise<Settings> => {
    const { readConfig } = await import('./config.ts')
    return readConfig(process.env, program.opts<{ config?: string }>().config)
  }

  /** A role with a channel was started by a supervisor, its parent. */
  const supervisorPid = process.connected ? process.ppid : undefined

  /** Those of a role; of what is no setting its supervisor has told already. */
  const readRoleSettings = async (): Promise<Settings> => {
    if (supervisorPid === undefined) await reportUnknownVariables()
    return readSettings()
  }

  program
    .command('start')
    .description('run everything on this machine: databases, control plane and gateway')
    .action(() =>
      runRole(async () => {
        const [settings, { startAll }] = await Promise.all([readRoleSettings(), import('./roles/start.ts')])
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
          readRoleSettings(),
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
          readRoleSettings(),
          import('./roles/gateway.ts'),
        ])
        return startGatewayRole(settings, supervisorPid)
      }),
    )

  program
    .command('researcher-proxy')
    .argument('<urls...>', 'addresses of gated hosts, such as https://shop.gate.example.com')
    .description("run an HTTP proxy on loopback that puts a researcher's key into requests for these hosts")
    .option('--key-file <file>', 'file with the key (default: SALLYPORT_RESEARCHER_KEY of the environment)')
    .option('--port <port>', 'port of 127.0.0.1; 0 for a free one', readPort, RESEARCHER_PROXY_PORT)
    .option(
      '--folder <folder>',
      'where the certificate for tools is kept (default: ~/.config/sallyport/researcher-proxy)',
    )
    .option('--authorities <file>', "authorities of the gate's certificate, in PEM, where they are private")
    .action((urls: readonly string[], options: ResearcherProxyOptions) =>
      runRole(async () => {
        const { describeProxy, startResearcherProxy } = await import('./researcher-proxy/researcher-proxy.ts')
        const proxy = await startResearcherProxy(urls, options, process.env)
        console.log(describeProxy(proxy, urls))
        return proxy
      }),
    )

  addGatewayCommands(gateway, readSettings)
  addEnroll(gateway, readSettings, process.env)
  addHealthCommand(program, readSettings)
  addDoctorCommand(program, readSettings)
  addDrainCommand(program, readSettings)
  addBackupCommands(program, readSettings)
  addTrafficCommands(program, readSettings)
  addOperatorCommands(program, readSettings)
  addFirewallCommands(program, readSettings)
  addApiCommands(program, readSettings, process.env)
  addEvidenceCommands(program, readSettings, process.env)
  return program
}

async function reportUnknownVariables(): Promise<void> {
  const { findUnknownVariables } = await import('./config.ts')
  const names = findUnknownVariables(process.env)
  if (names.length > 0)
    console.error(`sallyport: ignored, since there are no settings of these names: ${names.join(', ')}`)
}

const RESEARCHER_PROXY_PORT = 8119

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It is not a port from 0 to 65535.')
  return port
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
