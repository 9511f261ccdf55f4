import type { Settings } from '../settings.ts'

/** What of Sallyport runs on a machine, and says there whether it is alive and ready. */
export const PARTS = ['control', 'gateway'] as const
export type Part = (typeof PARTS)[number]

/** The URL of what listens on an address of this machine. */
export const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** How a program on this machine reaches a part: by loopback, unless the part listens on one other address only. */
export const loopbackUrl = (host: string, port: number): string =>
  httpUrl(['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host, port)

/** Where a program on this machine asks a part of itself: the control plane's own port, and the admin port of a gateway. */
export const partUrl = (
  part: Part,
  settings: Pick<Settings, 'controlHost' | 'controlPort' | 'gatewayAdminHost' | 'gatewayAdminPort'>,
): string =>
  part === 'control'
    ? loopbackUrl(settings.controlHost, settings.controlPort)
    : loopbackUrl(settings.gatewayAdminHost, settings.gatewayAdminPort)
