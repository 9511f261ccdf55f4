/** The organization: its people, keys, billing, credits, and the log of what they did. */

import type { Permission } from '@sallyport/contract'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useOrganization, usePermission, useProfile } from '../../api/queries/account-queries.ts'
import { Permitted } from '../../design/feedback/permitted.tsx'
import { Page } from '../../design/page/panel.tsx'
import { TabList, tabClass } from '../../design/page/tabs.tsx'
import { nameOr } from '../../language/names.ts'
import { AuditTab } from './audit-tab.tsx'
import { BillingTab } from './billing-tab.tsx'
import { CreditsTab } from './credits-tab.tsx'
import { DetailsTab } from './details-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { NotificationsTab } from './notifications/notifications-tab.tsx'
import { texts } from './texts.ts'

const route = getRouteApi('/organization/$tab')
interface Tab {
  readonly label: string
  readonly permission: Permission
  readonly Content: ComponentType
}
const TABS: Readonly<Record<string, Tab>> = {
  details: { label: texts.details, permission: 'organization:read', Content: DetailsTab },
  members: { label: texts.members, permission: 'members:read', Content: MembersTab },
  keys: { label: texts.apiKeys, permission: 'keys:read', Content: KeysTab },
  notifications: { label: texts.notifications, permission: 'notifications:read', Content: NotificationsTab },
  billing: { label: texts.billing, permission: 'billing:read', Content: BillingTab },
  credits: { label: texts.credits, permission: 'billing:read', Content: CreditsTab },
  audit: { label: texts.auditLog, permission: 'audit:read', Content: AuditTab },
}

export function OrganizationPage() {
  const { tab } = route.useParams()
  const organization = useOrganization()
  const shown = TABS[tab]
  if (!shown) return <Navigate to="/organization/$tab" params={{ tab: 'details' }} replace />
  return (
    <Page
      title={nameOr(organization.data?.name, texts.organization)}
      part={shown.label}
      lead={
        organization.data
          ? texts.planCredits(organization.data.plan, organization.data.credits, organization.data.id)
          : null
      }
    >
      <TabList label={texts.partsOfTheOrganization}>
        {Object.entries(TABS).map(([name, one]) => (
          <TabLink key={name} name={name} {...one} />
        ))}
      </TabList>
      <Permitted permission={shown.permission}>
        <shown.Content key={tab} />
      </Permitted>
    </Page>
  )
}

/** None to what the viewer's role is known not to include. */
function TabLink({ name, label, permission }: { readonly name: string } & Pick<Tab, 'label' | 'permission'>) {
  const profile = useProfile()
  const may = usePermission(permission)
  return may || !profile.data ? (
    <Link to="/organization/$tab" params={{ tab: name }} className={tabClass}>
      {label}
    </Link>
  ) : null
}
