import type { OidcSettings } from '../../src/settings.ts'

/** An issuer of the organization's own, with the claims that it would have anywhere. */
export const oidcSettings = (given: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer: 'https://issuer.example',
  audience: 'https://sallyport.example/api',
  clientId: 'console',
  scope: null,
  organizationClaim: 'org_id',
  emailClaim: 'email',
  emailVerifiedClaim: 'email_verified',
  roleClaim: 'role',
  organizations: {},
  algorithms: ['RS256'],
  ...given,
})
