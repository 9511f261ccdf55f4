import { texts } from './texts.ts'

/** What the control plane tells the console about the installation, at `/console/config.json`. */
export interface ConsoleConfig {
  /** OpenID Connect issuer to sign in with. */
  readonly issuer: string
  readonly clientId: string
  /** Scopes to ask for, space separated. */
  readonly scope: string
  /** The API that tokens are for, as the issuer knows it; empty where the issuer needs none. */
  readonly audience: string
  readonly gateDomain: string
  /** URL under which researchers reach the gateway; any gated name may take the place of its host. */
  readonly gatewayPublicUrl: string
}

export async function loadConsoleConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/console/config.json')
  if (!response.ok) throw new Error(texts.theControlPlaneAnswered(response.status))
  return (await response.json()) as ConsoleConfig
}
