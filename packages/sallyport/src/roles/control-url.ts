/** Whether a gateway may talk to the control plane at a URL. */
import { OperatorError } from '../operator-error.ts'
import type { Settings } from '../settings.ts'

/**
 * Throws where the token of gateways, and the snapshot with every researcher's rights, would cross a network in plain HTTP. On
 * the machine itself nobody listens in; a network that is somehow protected is named by its host.
 */
export function requireSafeControlUrl(
  controlUrl: string,
  { allowPlainControlUrl }: Pick<Settings, 'allowPlainControlUrl'>,
): void {
  const { protocol, hostname } = new URL(controlUrl)
  if (protocol === 'https:' || isLoopback(hostname) || allowPlainControlUrl.includes(hostname)) return
  throw new OperatorError(
    `SALLYPORT_CONTROL_URL: is plain HTTP to ${hostname}, which whoever is on the way can read and change: use https://, or name the host in SALLYPORT_ALLOW_PLAIN_CONTROL_URL`,
  )
}

/** The control planes that are set, one at least, of which each may be talked to. Throws where there is none or one may not. */
export function requireSafeControlUrls(
  settings: Pick<Settings, 'controlUrl' | 'allowPlainControlUrl'>,
): ControlUrlList {
  const controlUrls = requireControlUrls(settings)
  for (const controlUrl of controlUrls) requireSafeControlUrl(controlUrl, settings)
  return controlUrls
}

/** The control planes that are set. Throws where there is none. */
export function requireControlUrls({ controlUrl }: Pick<Settings, 'controlUrl'>): ControlUrlList {
  const [first, ...others] = controlUrl ?? []
  if (first === undefined)
    throw new OperatorError('SALLYPORT_CONTROL_URL: must be set to the URL of the control plane')
  return [first, ...others]
}

type ControlUrlList = readonly [first: string, ...others: string[]]

/** A name under `localhost` never leaves the machine (RFC 6761, section 6.3); an address in 127.0.0.0/8 cannot. */
const isLoopback = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
