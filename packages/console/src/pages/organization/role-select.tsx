import { ROLES, type Role } from '@sallyport/contract'
import { Choice } from '../../design/form/fields.tsx'
import { texts } from './texts.ts'

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: texts.ownerEverything,
  admin: texts.adminSitesResearchersFirewallExport,
  viewer: texts.viewerReadsSitesResearchers,
}
const CHOICES = ROLES.map((value) => ({ value, label: ROLE_WORDS[value] }))

/** Chooses what a member or a key may do. */
export function RoleSelect(props: { readonly role: Role; readonly onChange: (role: Role) => void }) {
  return <Choice label={texts.role} value={props.role} onChange={props.onChange} choices={CHOICES} />
}
