/** A gateway that is measured, as the processes of measurements start it. */
import type { Gateway, GatewaySettings } from '@sallyport/gateway'

/** Its settings; limits and journal are those of the checkout whose gateway it is. */
export const benchSettings = (
  { controlPort, dataDir }: { readonly controlPort: number; readonly dataDir: string },
  own: Pick<GatewaySettings, 'limits' | 'journal' | 'tls'>,
): GatewaySettings => ({
  dataDir,
  gatewayId: 'bench',
  version: 'bench',
  threads: 1,
  host: '127.0.0.1',
  port: 0,
  adminHost: '127.0.0.1',
  adminPort: 0,
  controlUrls: [`http://127.0.0.1:${controlPort}`],
  controlSilenceMaxMs: 5_000,
  adminToken: 'admin-token-of-the-bench',
  gatewayToken: 'bench-token-bench-token',
  allowPrivateOrigins: ['127.0.0.0/8'],
  originAuthoritiesFile: null,
  proxyProtocolFrom: [],
  trustedProxies: [],
  forwardedHeader: 'x-forwarded-for',
  valkeyUrl: null,
  traces: null,
  researcherPageDir: null,
  logLevel: 'warn',
  ...own,
})

/** Closes it, and ends the process, when that is asked to end. */
export function closeOnSigterm(gateway: Pick<Gateway, 'close'>): void {
  process.on('SIGTERM', () => {
    gateway.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
}
