/** What a gateway serves: the sites of all organizations, or of some. It is told of nothing else, and nothing else is taken from it. */

/** The organizations that a gateway serves; null for all, also those to come. */
export type ServedOrganizations = ReadonlySet<string> | null

/** What a gateway serves, and from when on. */
export interface GatewayScope {
  readonly organizations: ServedOrganizations
  /**
   * The revision of the configuration when it was enrolled: one that runs no later one may serve what it was told before. -1 of one that
   * nobody knew before, and that was told nothing.
   */
  readonly since: number
}

/** Of gateways that were not enrolled. */
export const EVERYTHING: GatewayScope = { organizations: null, since: 0 }

/** Whether an organization is served. */
export const isServedIn = (organizations: ServedOrganizations, orgId: string): boolean =>
  organizations === null || organizations.has(orgId)

/** Organizations that one gateway may be bound to; those that serve more serve all. */
export const ORGANIZATIONS_MAX = 100
