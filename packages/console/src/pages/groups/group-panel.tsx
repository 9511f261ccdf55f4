/** One group: its sites, what puts one in or out, its name. */
import { Button } from '@mantine/core'
import type { SiteGroup } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useGroupChanges, useGroups } from '../../api/queries/group-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { DialogButton } from '../../design/dialog/dialog-button.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, ErrorState } from '../../design/feedback/states.tsx'
import { Choice, TextField } from '../../design/form/fields.tsx'
import { AdditionForm } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { GroupNameForm } from './group-name-form.tsx'
import { texts } from './texts.ts'

type GroupSite = SiteGroup['sites'][number]

export function GroupPanel({ group, may }: { readonly group: SiteGroup; readonly may: boolean }) {
  const leave: Column<GroupSite> = {
    head: texts.actions,
    align: 'end',
    cell: (site) => <LeaveButton group={group} site={site} />,
  }
  return (
    <Panel title={group.gatedName} actions={may ? <GroupActions group={group} /> : null} flush>
      {group.sites.length === 0 ? (
        <EmptyState icon="sites" title={texts.noSiteYet} />
      ) : (
        <Table
          rows={group.sites}
          rowKey={({ id }) => id}
          label={texts.sitesOf(group.gatedName)}
          columns={may ? [...COLUMNS, leave] : COLUMNS}
        />
      )}
      <PutIn group={group} may={may} />
    </Panel>
  )
}

const COLUMNS: readonly Column<GroupSite>[] = [
  {
    head: texts.site,
    cell: ({ id, gatedName }) => (
      <Link to="/sites/$siteId/$tab" params={{ siteId: id, tab: 'settings' }}>
        <strong className="nowrap">{gatedName}</strong>
      </Link>
    ),
  },
  { head: texts.origin, secondary: true, cell: ({ originName }) => originName },
]

function GroupActions({ group }: { readonly group: SiteGroup }) {
  const notices = useNotices()
  const { remove } = useGroupChanges(group.id)
  const confirm = async () => {
    await remove.mutateAsync(null)
    notices.done(texts.theGroupIsRemoved)
  }
  return (
    <>
      <DialogButton label={texts.rename} variant="default" title={texts.renameTheGroup}>
        {(close) => <GroupNameForm group={group} onDone={close} />}
      </DialogButton>
      {group.sites.length === 0 ? (
        <ConfirmButton
          label={texts.remove}
          action={texts.removeGroup}
          title={texts.removeThisGroup}
          onConfirm={confirm}
        >
          {texts.removeThisGroupBody(<strong>{group.gatedName}</strong>)}
        </ConfirmButton>
      ) : null}
    </>
  )
}

function LeaveButton({ group, site }: { readonly group: SiteGroup; readonly site: GroupSite }) {
  const notices = useNotices()
  const { setSites } = useGroupChanges(group.id)
  const confirm = async () => {
    await setSites.mutateAsync((now) => now.filter(({ id }) => id !== site.id))
    notices.done(texts.theSiteHasLeft)
  }
  return (
    <ConfirmButton
      label={texts.removeFromGroup}
      button={{ variant: 'default', 'aria-label': texts.removeFromGroupGated(site.gatedName) }}
      action={texts.removeFromGroup}
      title={texts.removeThisSite}
      onConfirm={confirm}
    >
      {texts.removeThisSiteBody(<strong>{site.gatedName}</strong>)}
    </ConfirmButton>
  )
}

/** Whether an origin is a wildcard, which is under no label of its own. */
const hasWildcard = (originName: string): boolean => /^(?:https?:\/\/)?\*\./i.test(originName)

/** Puts a site that is in no group into this one. For who may not any more it stays until what is typed in it is gone. */
function PutIn({ group, may }: { readonly group: SiteGroup; readonly may: boolean }) {
  const notices = useNotices()
  const sites = useSites()
  const groups = useGroups()
  const { setSites } = useGroupChanges(group.id)
  const [siteId, setSiteId] = useState('')
  const [label, setLabel] = useState('')
  const taken = new Set(groups.rows.flatMap((one) => one.sites.map(({ id }) => id)))
  const free = (sites.data ?? []).filter(({ id }) => !taken.has(id))
  const isMany = hasWildcard(free.find(({ id }) => id === siteId)?.originName ?? '')
  const put = () =>
    setSites.mutate((now) => [...now, { id: siteId, label: isMany ? '*' : label }], {
      onSuccess: () => {
        // The next one may have been chosen while this one was on its way.
        setSiteId((now) => (now === siteId ? '' : now))
        setLabel((now) => (now === label ? '' : now))
        notices.done(texts.theSiteIs)
      },
    })
  if (!may && siteId + label === '') return null
  return (
    <AdditionForm onSubmit={put}>
      {setSites.error ? <ErrorState error={setSites.error} /> : null}
      <Choice
        label={texts.site}
        aria-label={texts.siteToAdd(group.gatedName)}
        value={siteId}
        onChange={setSiteId}
        choices={[
          { value: '', label: texts.chooseASite },
          ...free.map(({ id, gatedName, originName }) => ({
            value: id,
            label: `${gatedName} (${originName})`,
          })),
        ]}
      />
      <TextField
        label={texts.label}
        aria-label={texts.labelUnder(group.gatedName)}
        placeholder={isMany ? '*' : 'www'}
        required
        value={isMany ? '*' : label}
        readOnly={isMany}
        onText={setLabel}
      />
      <Button
        type="submit"
        variant="default"
        loading={setSites.isPending}
        disabled={siteId === '' || (!isMany && label.trim() === '')}
      >
        {texts.addToGroup}
      </Button>
    </AdditionForm>
  )
}
