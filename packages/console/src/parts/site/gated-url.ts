import type { ConsoleConfig } from '../../session/console-config.ts'

/** Where researchers reach a gated name: the gateway's scheme and port, with the name as host. */
export function gatedUrl(config: Pick<ConsoleConfig, 'gatewayPublicUrl'>, gatedName: string): string {
  const url = new URL(config.gatewayPublicUrl)
  return `${url.protocol}//${gatedName}${url.port ? `:${url.port}` : ''}/`
}
