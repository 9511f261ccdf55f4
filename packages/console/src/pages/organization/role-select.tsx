import { ROLES, type Role } from '@sallyport/contract'
import { Choice } from '../../design/form/fields.tsx'

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Owner: everything',
  admin: 'Admin: sites, researchers, firewall, export',
  viewer: 'Viewer: reads sites, researchers and traffic',
}
const CHOICES = ROLES.map((value) => ({ value, label: ROLE_WORDS[value] }))

/** Chooses what a member or a key may do. */
export function RoleSelect(props: { readonly role: Role; readonly onChange: (role: Role) => void }) {
  return <Choice label="Role" value={props.role} onChange={props.onChange} choices={CHOICES} />
}
