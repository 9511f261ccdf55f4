/**
 * `sallyport researcher-proxy`: an HTTP proxy on loopback for tools that can use one and cannot send a header of their own. It
 * puts the researcher's key into requests for the gated hosts that it was started with, and carries nothing else.
 */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { isSecretKey, RESEARCHER_KEY_PREFIX } from '@sallyport/contract/words'
import { OperatorError, systemErrorCode } from '../operator-error.ts'
import type { RunningRole } from '../roles/run-role.ts'
import { type Gates, readGates } from './gates.ts'
import { keepCertificate } from './kept-certificate.ts'
import { serveConnection } from './proxied-connection.ts'

export interface ResearcherProxyOptions {
  /** File with the key. */
  readonly keyFile?: string
  readonly port: number
  /** Where the certificate is kept. */
  readonly folder?: string
  /** File with the authorities that vouch for the gate's certificate, in PEM. */
  readonly authorities?: string
}

export interface ResearcherProxy extends RunningRole {
  readonly port: number
  /** What tools are to trust; null where no gate is asked over TLS. */
  readonly certificateFile: string | null
}

/** The variable that has the key where no file is named. */
export const RESEARCHER_KEY_VARIABLE = 'SALLYPORT_RESEARCHER_KEY'
const LOOPBACK = '127.0.0.1'
const CONNECTIONS_MAX = 256
const FILE_BYTES_MAX = 1024 * 1024

/** Starts the proxy; resolves when it listens. Throws an OperatorError at what must be mended first. */
export async function startResearcherProxy(
  urls: readonly string[],
  options: ResearcherProxyOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ResearcherProxy> {
  const gates = readGates(urls)
  const key = readKey(options, environment)
  const certificate = certificateFor(gates, options.folder ?? defaultFolder(environment))
  const parts = {
    gates,
    key,
    context: certificate && createSecureContext(certificate),
    authorities:
      options.authorities === undefined ? undefined : [readText('--authorities', options.authorities)],
  }
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serveConnection(socket, parts)
  })
  server.maxConnections = CONNECTIONS_MAX
  server.listen(options.port, LOOPBACK)
  await once(server, 'listening').catch((error: Error) => {
    throw new OperatorError(`--port: ${options.port} cannot be listened on (${systemErrorCode(error)})`)
  })
  return {
    // It listens on a port, not on a pipe, so it has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    certificateFile: certificate?.file ?? null,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Says how tools are to be set up. Never says the key. */
export function describeProxy({ port, certificateFile }: ResearcherProxy, urls: readonly string[]): string {
  const trust = certificateFile === null ? [] : [`certificate for your tools to trust: ${certificateFile}`]
  return [`proxy: http://${LOOPBACK}:${port}`, `for: ${urls.join(' ')}`, ...trust].join('\n')
}

function certificateFor(gates: Gates, folder: string) {
  const names = [...gates.values()].filter(({ isSecure }) => isSecure).map(({ host }) => host)
  return names.length === 0 ? null : keepCertificate(folder, [...new Set(names)].sort())
}

const defaultFolder = ({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'sallyport', 'researcher-proxy')

/** Never from the command line, which other users of the machine see. */
function readKey({ keyFile }: ResearcherProxyOptions, environment: NodeJS.ProcessEnv): string {
  const given = keyFile === undefined ? environment[RESEARCHER_KEY_VARIABLE] : readText('--key-file', keyFile)
  const source = keyFile === undefined ? RESEARCHER_KEY_VARIABLE : `--key-file: ${keyFile}`
  if (!given)
    throw new OperatorError(`name a file with your key by --key-file, or set ${RESEARCHER_KEY_VARIABLE}`)
  const key = given.trim()
  if (!isSecretKey(RESEARCHER_KEY_PREFIX, key))
    throw new OperatorError(
      `${source}: not a whole researcher key, which begins with ${RESEARCHER_KEY_PREFIX}`,
    )
  return key
}

function readText(option: string, file: string): string {
  if (!existsSync(file)) throw new OperatorError(`${option}: there is no ${file}`)
  const bytes = readFileSync(file)
  if (bytes.length > FILE_BYTES_MAX) throw new OperatorError(`${option}: ${file} is larger than 1 MiB`)
  return bytes.toString('utf8')
}
