/** What this member changed lately, which stays here, and what can be taken back. */
import { Button } from '@mantine/core'
import type { AuditEntry } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePermission, useProfile } from '../../api/queries/account-queries.ts'
import { useRecentChanges } from '../../api/queries/organization-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { auditSentence } from '../../parts/audit/audit-sentence.ts'
import { type Undo, undoOf } from '../../parts/audit/undo.ts'
import { useAuditNames } from '../../parts/audit/use-audit-names.ts'
import classes from './change-tray.module.css'
import { texts } from './texts.ts'

/** Sign-ins change nothing. */
const NO_CHANGES = new Set(['member.signIn', 'site.credentials.reveal'])

export default function ChangeTray() {
  const profile = useProfile()
  const email = profile.data?.email ?? ''
  const changes = useRecentChanges(email)
  const shown = changes.data?.items.filter(({ action }) => !NO_CHANGES.has(action))
  return (
    <>
      <p className="soft">{texts.whatYouChanged}</p>
      <QueryState query={changes} />
      {shown?.length === 0 ? <EmptyState icon="clock" title={texts.noChanges} /> : null}
      <ol className={classes.changes}>
        {shown?.map((entry) => (
          <Change key={entry.sequence} entry={entry} />
        ))}
      </ol>
    </>
  )
}

function Change({ entry }: { readonly entry: AuditEntry }) {
  const nameOf = useAuditNames()
  const undo = undoOf(entry, nameOf)
  return (
    <li>
      <div>
        {texts.you(
          auditSentence(entry, nameOf),
          <span className="soft">
            <RelativeTime instant={entry.time} />
          </span>,
        )}
      </div>
      {undo ? <UndoLine undo={undo} /> : <div className="soft">{texts.thisCannotBeUndoneHere}</div>}
    </li>
  )
}

function UndoLine({ undo }: { readonly undo: Undo }) {
  const may = usePermission(undo.permission)
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const [busy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    const done = undo
      .run(api)
      .then(() => queryClient.invalidateQueries())
      .finally(() => setBusy(false))
    notices.whenDone(done, texts.undone)
  }
  return (
    <div className={classes.undo}>
      <span className="soft">{undo.words}</span>
      {may ? (
        <Button size="compact-xs" variant="default" loading={busy} onClick={run}>
          {texts.undo}
        </Button>
      ) : (
        <span className="soft">{texts.yourRoleDoes}</span>
      )}
    </div>
  )
}
