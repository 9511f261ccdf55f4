import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { Dialog } from '../../design/dialog/dialog.tsx'
import { LoadingState } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { texts } from './texts.ts'

const ChangeTray = lazy(() => import('./change-tray.tsx'))

/** Opens the tray of recent changes, for who may read the audit log. */
export function ChangeTrayButton() {
  const may = usePermission('audit:read')
  const [opened, setOpened] = useState(false)
  if (!may) return null
  return (
    <>
      <ActionIcon
        aria-label={texts.recentChanges}
        title={texts.recentChanges}
        onClick={() => setOpened(true)}
      >
        <Icon name="undo" />
      </ActionIcon>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={texts.recentChanges} size="lg">
        <Suspense fallback={<LoadingState />}>
          <ChangeTray />
        </Suspense>
      </Dialog>
    </>
  )
}
