/** A site as gateways know it. */
import type { SiteConfig } from '@sallyport/contract'

/** An open site for every researcher, before an origin on loopback, with nothing else set. */
export const siteConfig = (
  names: Pick<SiteConfig, 'id' | 'orgId' | 'gatedName'>,
  originPort: number,
  changes: Partial<SiteConfig> = {},
): SiteConfig => ({
  ...names,
  origin: { scheme: 'http', host: '127.0.0.1', port: originPort },
  enabled: true,
  startsAt: null,
  stopsAt: null,
  access: 'all',
  researcherIds: [],
  rateLimit: '',
  blockRules: [],
  firewall: { mode: 'off', overrides: [], exclusions: [] },
  redaction: { queryValues: 'keep', clientAddress: 'keep', userAgent: 'keep' },
  refuseAmbiguousTargets: false,
  instructions: '',
  hasCredentials: false,
  ...changes,
})
