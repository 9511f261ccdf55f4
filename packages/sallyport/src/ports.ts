/** Ports: one line for a port that is taken, before anything is started, and a free one where the setting says 0. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { OperatorError, systemErrorCode } from './operator-error.ts'
import { SETTINGS, type Settings } from './settings.ts'

/** The settings that are ports, each with the setting of the host that it is on. */
const HOST_OF = {
  controlPort: 'controlHost',
  controlAdminPort: 'controlAdminHost',
  gatewayPort: 'gatewayHost',
  gatewayAdminPort: 'gatewayAdminHost',
  tlsPort: 'gatewayHost',
  proxyPort: 'gatewayHost',
} as const satisfies Partial<Record<keyof Settings, keyof Settings>>
type PortName = keyof typeof HOST_OF

/** The ports that a control plane listens on. */
export const CONTROL_PORTS = ['controlPort', 'controlAdminPort'] as const

/** The ports that a gateway listens on by these settings. */
export const gatewayPorts = ({ tlsDir, proxyPort }: Settings): readonly PortName[] => [
  'gatewayPort',
  'gatewayAdminPort',
  ...(tlsDir ? (['tlsPort'] as const) : []),
  ...(tlsDir && proxyPort !== undefined ? (['proxyPort'] as const) : []),
]

/**
 * The settings with every 0 among `names` replaced by a free port, so that a part that is started again keeps its
 * address. Throws an `OperatorError` for a port that cannot be had.
 */
export async function claimPorts(settings: Settings, names: readonly PortName[]): Promise<Settings> {
  const claimed = await Promise.all(
    names.map(
      async (name) => [name, await tryPort(name, settings[HOST_OF[name]], settings[name] ?? 0)] as const,
    ),
  )
  return { ...settings, ...Object.fromEntries(claimed) }
}

async function tryPort(name: PortName, host: string, port: number): Promise<number> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    // The server listens on a port, not on a pipe, so it has an AddressInfo.
    return (server.address() as AddressInfo).port
  } catch (error) {
    throw explainListenError(error, SETTINGS[name].variable, host, port)
  } finally {
    server.close()
  }
}

function explainListenError(error: unknown, variable: string, host: string, port: number): unknown {
  switch (systemErrorCode(error)) {
    case 'EADDRINUSE':
      return new OperatorError(
        `port ${port} of ${host} is in use: stop the program that has it, or set ${variable} to another`,
      )
    case 'EACCES':
      return new OperatorError(`port ${port} needs privileges: set ${variable} to one above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    // What the resolver says where there is no name server, and of a name that is none.
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new OperatorError(
        `this machine has no address ${host}: correct the host that goes with ${variable}`,
      )
    default:
      return error
  }
}
