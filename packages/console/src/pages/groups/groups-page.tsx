/** Groups of sites: applications on several hosts, each with its sites. */
import { usePermission } from '../../api/queries/account-queries.ts'
import { useGroups } from '../../api/queries/group-queries.ts'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Page, Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/table.tsx'
import { GroupNameForm } from './group-name-form.tsx'
import { GroupPanel } from './group-panel.tsx'

export function GroupsPage() {
  const groups = useGroups()
  const may = usePermission('sites:write')
  return (
    <Page
      title="Groups of sites"
      lead="Applications on several hosts: one name with all hosts under it, and one sign-in for all of them."
      actions={<AddButton may={may} label="Add a group" title="Add a group" form={GroupNameForm} />}
    >
      {groups.rows.map((group) => (
        <GroupPanel key={group.id} group={group} may={may} />
      ))}
      {groups.rows.length === 0 ? (
        <Panel>
          {groups.isPending || groups.error ? (
            <QueryState query={groups} />
          ) : (
            <EmptyState icon="sites" title="No group yet">
              Sites in a group share cookies and sign-in, and their addresses lead from one to the next.
            </EmptyState>
          )}
        </Panel>
      ) : null}
      <MoreButton list={groups} />
    </Page>
  )
}
