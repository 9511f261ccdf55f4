/** Who may do what. An operation names one permission; a role has a set of them. */
export const ROLES = ['owner', 'admin', 'viewer'] as const
export type Role = (typeof ROLES)[number]

const VIEWER = [
  'account:read',
  'organization:read',
  'sites:read',
  'researchers:read',
  'projects:read',
  'policies:read',
  'traffic:read',
  'gateways:read',
] as const
const ADMIN = [
  'sites:write',
  'researchers:write',
  'projects:write',
  'firewall:write',
  'traffic:export',
  'billing:read',
  'audit:read',
  'keys:read',
  'members:read',
  'notifications:read',
  'notifications:write',
] as const
const OWNER = [
  'billing:write',
  'keys:write',
  'members:write',
  'organization:write',
  'gateways:forget',
  'gateways:enroll',
] as const

export type Permission = (typeof VIEWER)[number] | (typeof ADMIN)[number] | (typeof OWNER)[number]
export const PERMISSIONS: readonly Permission[] = [...VIEWER, ...ADMIN, ...OWNER]

const PERMISSIONS_BY_ROLE: Record<Role, ReadonlySet<Permission>> = {
  viewer: new Set(VIEWER),
  admin: new Set<Permission>([...VIEWER, ...ADMIN]),
  owner: new Set(PERMISSIONS),
}

/** Whether a role includes a permission. */
export const roleAllows = (role: Role, permission: Permission): boolean =>
  PERMISSIONS_BY_ROLE[role].has(permission)
