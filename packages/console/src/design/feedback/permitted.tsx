import type { Permission } from '@sallyport/contract'
import type { ReactNode } from 'react'
import { usePermission, useProfile } from '../../api/queries/account-queries.ts'
import { useIsUnsaved } from '../dialog/unsaved.ts'
import { EmptyState, LoadingState } from './states.tsx'
import { texts } from './texts.ts'

/** Shows its content to a role that may see it, and says so to one that may not, once nothing on the page is unsaved any more. */
export function Permitted(props: { readonly permission: Permission; readonly children: ReactNode }) {
  const profile = useProfile()
  const may = usePermission(props.permission)
  const isUnsaved = useIsUnsaved()
  if (may || isUnsaved) return props.children
  if (!profile.data) return <LoadingState />
  return (
    <EmptyState icon="key" title={texts.yourRoleDoes}>
      {texts.yourRoleDoesBody}
    </EmptyState>
  )
}
