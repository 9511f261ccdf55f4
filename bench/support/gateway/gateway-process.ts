/**
 * The gateway as a process of its own, to be measured: the real one, with its journal on disk, fed by a control plane that
 * says one snapshot and acknowledges every batch. Prints `{port, adminPort}` when it listens.
 *
 * Argument: JSON `{controlPort, dataDir}`.
 */
import { DEFAULT_GATEWAY_LIMITS, DEFAULT_JOURNAL_SETTINGS, startGateway } from '@sallyport/gateway'

const { controlPort, dataDir } = JSON.parse(process.argv[2] ?? '{}')
const gateway = await startGateway({
  dataDir,
  gatewayId: 'bench',
  host: '127.0.0.1',
  port: 0,
  adminHost: '127.0.0.1',
  adminPort: 0,
  tls: null,
  controlUrl: `http://127.0.0.1:${controlPort}`,
  gatewayToken: 'bench-token-bench-token',
  allowPrivateOrigins: ['127.0.0.0/8'],
  originAuthoritiesFile: null,
  valkeyUrl: null,
  researcherPageDir: null,
  journal: DEFAULT_JOURNAL_SETTINGS,
  limits: DEFAULT_GATEWAY_LIMITS,
  logLevel: 'warn',
})
process.stdout.write(`${JSON.stringify({ port: gateway.http.port, adminPort: gateway.admin.port })}\n`)
process.on('SIGTERM', () => {
  gateway.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
