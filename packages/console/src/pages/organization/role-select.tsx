import { NativeSelect } from '@mantine/core'
import { ROLES, type Role } from '@sallyport/contract'

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Owner: everything',
  admin: 'Admin: sites, researchers, firewall, export',
  viewer: 'Viewer: reads sites, researchers and traffic',
}

/** Chooses what a member or a key may do. */
export function RoleSelect(props: { readonly role: Role; readonly onChange: (role: Role) => void }) {
  return (
    <NativeSelect
      label="Role"
      value={props.role}
      onChange={(event) => {
        const chosen = ROLES.find((one) => one === event.currentTarget.value)
        if (chosen) props.onChange(chosen)
      }}
      data={ROLES.map((one) => ({ value: one, label: ROLE_WORDS[one] }))}
    />
  )
}
