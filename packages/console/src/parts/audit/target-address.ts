import type { AuditEntry } from '@sallyport/contract'
import type { NameOf } from './audit-sentence.ts'

const SITE_TABS: Readonly<Record<string, string>> = {
  'site.setBlockList': 'blocks',
  'site.setFirewall': 'firewall',
  'site.allowedHackerType': 'access',
  'site.setHackers': 'access',
  'site.addHacker': 'access',
  'site.removeHacker': 'access',
  'site.setDefinition': 'definition',
  'site.removeDefinition': 'definition',
  'site.setDocument': 'definition',
  'site.removeDocument': 'definition',
  'site.restoreDocument': 'definition',
  'site.confirmOperation': 'definition',
  'site.unconfirmOperation': 'definition',
  'site.learnRoutes': 'definition',
}
const ORGANIZATION_TABS: Readonly<Record<string, string>> = {
  member: 'members',
  apiKey: 'keys',
  destination: 'notifications',
  billing: 'billing',
}

/** The page of what an entry is about; undefined where it has none, or is not there any more. */
export function targetAddress({ action, target: { kind, id } }: AuditEntry, nameOf: NameOf) {
  if (kind === 'site')
    return nameOf(kind, id) === undefined
      ? undefined
      : ({ to: '/sites/$siteId/$tab', params: { siteId: id, tab: SITE_TABS[action] ?? 'settings' } } as const)
  if (kind === 'hacker')
    return action === 'hacker.remove'
      ? undefined
      : ({ to: '/researchers/$researcherId', params: { researcherId: id } } as const)
  if (kind === 'project')
    return action === 'project.delete'
      ? undefined
      : ({ to: '/projects/$projectId', params: { projectId: id } } as const)
  const tab = ORGANIZATION_TABS[kind]
  return tab === undefined ? undefined : ({ to: '/organization/$tab', params: { tab } } as const)
}
