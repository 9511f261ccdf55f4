/**
 * The gateway as a process of its own, to be measured: the real one, with its journal on disk, fed by a control plane that
 * says one snapshot and acknowledges every batch. Prints `{port, adminPort}` when it listens.
 *
 * Argument: JSON `{controlPort, dataDir}`.
 */
import { DEFAULT_GATEWAY_LIMITS, DEFAULT_JOURNAL_SETTINGS, startGateway } from '@sallyport/gateway'
import { benchSettings, closeOnSigterm } from './bench-gateway.ts'

const gateway = await startGateway(
  benchSettings(JSON.parse(process.argv[2] ?? '{}'), {
    tls: null,
    journal: DEFAULT_JOURNAL_SETTINGS,
    limits: DEFAULT_GATEWAY_LIMITS,
  }),
)
process.stdout.write(`${JSON.stringify({ port: gateway.http.port, adminPort: gateway.admin.port })}\n`)
closeOnSigterm(gateway)
