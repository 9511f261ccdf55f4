/** The audit log, with the state of its hash chain. */

import type { AuditEntry } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApiQuery } from '../../api/api-query.ts'
import { useAuditLog } from '../../api/queries/organization-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { SearchField } from '../../design/form/fields.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { Status } from '../../design/table/status.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { type TimeWords, useTime } from '../../design/time/time.tsx'
import { auditSentence, type NameOf } from '../../parts/audit/audit-sentence.ts'
import { changedFields } from '../../parts/audit/entry-fields.ts'
import { targetAddress } from '../../parts/audit/target-address.ts'
import { useAuditNames } from '../../parts/audit/use-audit-names.ts'
import classes from './audit-tab.module.css'
import { texts } from './texts.ts'

const columnsOf = (time: TimeWords, nameOf: NameOf): readonly Column<AuditEntry>[] => [
  { head: '#', align: 'end', secondary: 'least', cell: (entry) => entry.sequence },
  { head: texts.when, cell: (entry) => <time className={classes.when}>{time.full(entry.time)}</time> },
  { head: texts.who, cell: (entry) => <Actor entry={entry} /> },
  { head: texts.what, cell: (entry) => <What entry={entry} nameOf={nameOf} /> },
  { head: texts.change, cell: (entry) => <Change entry={entry} /> },
]

export function AuditTab() {
  const time = useTime()
  const [action, setAction] = useState('')
  const log = useAuditLog(action)
  const nameOf = useAuditNames()
  return (
    <Panel
      title={texts.auditLog}
      description={<Verification />}
      flush
      actions={
        <SearchField
          aria-label={texts.filterByAction}
          placeholder={texts.siteUpdateOrSite}
          value={action}
          onText={(text) => setAction(text.trim())}
        />
      }
    >
      <PagedTable
        query={log}
        more={texts.showOlderEntries}
        empty={<EmptyState icon="organization" title={texts.noEntries} />}
        label={texts.auditLog}
        rowKey={(entry) => String(entry.sequence)}
        columns={columnsOf(time, nameOf)}
      />
    </Panel>
  )
}

/** The sentence, which leads to what it is about; the action as filters and exports know it beside it. */
function What({ entry, nameOf }: { readonly entry: AuditEntry; readonly nameOf: NameOf }) {
  const words = auditSentence(entry, nameOf)
  const address = targetAddress(entry, nameOf)
  return (
    <span className={classes.what} title={entry.action}>
      {address ? <Link {...address}>{words}</Link> : words}
    </span>
  )
}

function Verification() {
  const verified = useApiQuery(['audit-verification'], 'auditLogVerify', {}, { staleTime: 30_000 })
  if (verified.isPending) return <Status tone="busy">{texts.checkingTheChain}</Status>
  if (verified.error) return <Status tone="bad">{texts.theChainCould}</Status>
  const { isIntact, entries, firstBroken, head } = verified.data
  if (!isIntact) return <Status tone="bad">{texts.brokenEntryDoes(firstBroken)}</Status>
  return (
    <span title={texts.hashOfTheLastEntry(head)}>
      <Status tone="good">{texts.intactEntriesEachSealed(entries)}</Status>
    </span>
  )
}

const ACTOR_KINDS = {
  user: '',
  'api-key': texts.byApiKey,
  operator: ', operator',
  researcher: ', researcher',
  system: ', automatic',
}

function Actor({ entry }: { readonly entry: AuditEntry }) {
  const kind = ACTOR_KINDS[entry.actor.kind]
  return (
    <span className={classes.who}>
      {entry.actor.email || entry.actor.id}
      <span className="soft">{kind}</span>
    </span>
  )
}

/** The fields that differ between before and after; where the window is too narrow for their names, how many. */
function Change({ entry }: { readonly entry: AuditEntry }) {
  const fields = changedFields(entry.before, entry.after)
  if (fields.length === 0) return <span className="soft">–</span>
  return (
    <details className={classes.change}>
      <summary>
        <span className={classes.names}>{fields.map((field) => field.name).join(', ')}</span>
        <span className={classes.count}>{texts.changedFields(fields.length)}</span>
      </summary>
      <dl>
        {fields.map((field) => (
          <div key={field.name}>
            <dt>{field.name}</dt>
            <dd>
              <del>
                <bdi>{field.before}</bdi>
              </del>{' '}
              <ins>
                <bdi>{field.after}</bdi>
              </ins>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
