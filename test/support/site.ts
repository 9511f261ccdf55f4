/** A site behind the gate of an installation, in force at its gateway. */
import type { FirewallMode, Site } from '@sallyport/contract'
import { eventually, type Installation } from './installation.ts'

/** Creates an active site in front of `originUrl` and waits until the gateway serves it. */
export async function createSite(
  installation: Installation,
  gatedName: string,
  originUrl: string,
): Promise<Site> {
  const { status, body } = await installation.api<Site>('POST', '/api/Sites', {
    originName: originUrl,
    gatedName,
    isActive: true,
  })
  if (status !== 201) throw new Error(`the site was not created: ${status} ${JSON.stringify(body)}`)
  await untilDeployed(installation, body.id)
  return body
}

/** Waits until every live gateway runs the site's last change. */
export const untilDeployed = (installation: Installation, siteId: string): Promise<true> =>
  eventually(async () => {
    const { body } = await installation.api<Site>('GET', `/api/Sites/${siteId}`)
    return body.isDeploymentProgress === false
  })

/** Sets the mode of a site's firewall and waits until it is in force. */
export async function setFirewall(
  installation: Installation,
  siteId: string,
  mode: FirewallMode,
): Promise<void> {
  const { status } = await installation.api('PUT', `/api/Sites/${siteId}/firewall`, { mode })
  if (status !== 200) throw new Error(`the firewall could not be set: ${status}`)
  await untilDeployed(installation, siteId)
}
