import { useSiteFirewall } from '../../api/queries/firewall-queries.ts'
import { MODE_WORDS } from '../../parts/firewall/mode-words.ts'

export function SiteFirewallMode({ siteId }: { readonly siteId: string }) {
  const firewall = useSiteFirewall(siteId)
  return firewall.data ? MODE_WORDS[firewall.data.mode].label : <span className="soft">–</span>
}
