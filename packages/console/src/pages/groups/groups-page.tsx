/** Groups of sites: applications on several hosts, each with its sites. */
import { usePermission } from '../../api/queries/account-queries.ts'
import { useGroups } from '../../api/queries/group-queries.ts'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Page, Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/table.tsx'
import { GroupNameForm } from './group-name-form.tsx'
import { GroupPanel } from './group-panel.tsx'
import { texts } from './texts.ts'

export function GroupsPage() {
  const groups = useGroups()
  const may = usePermission('sites:write')
  return (
    <Page
      title={texts.groupsOfSites}
      lead={texts.groupsOfSitesLead}
      actions={<AddButton may={may} label={texts.addAGroup} form={GroupNameForm} />}
    >
      {groups.rows.map((group) => (
        <GroupPanel key={group.id} group={group} may={may} />
      ))}
      {groups.rows.length === 0 ? (
        <Panel>
          {groups.isPending || groups.error ? (
            <QueryState query={groups} />
          ) : (
            <EmptyState icon="sites" title={texts.noGroupYet}>
              {texts.noGroupYetBody}
            </EmptyState>
          )}
        </Panel>
      ) : null}
      <MoreButton list={groups} />
    </Page>
  )
}
