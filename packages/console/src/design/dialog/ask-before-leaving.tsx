/** Asks before a page is left with something on it that is not saved: by a link, by Back, or by closing the tab. */
import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { texts } from './texts.ts'
import { useMarkUnsaved } from './unsaved.ts'

/** What else the address holds is changed without leaving. */
export const isOtherPage: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname

export function AskBeforeLeaving(props: {
  /** What is not saved, as the beginning of a sentence: "The block rules". */
  readonly what: string
  readonly isUnsaved: boolean
}) {
  useMarkUnsaved(props.isUnsaved)
  const leaving = useBlocker({ shouldBlockFn: isOtherPage, disabled: !props.isUnsaved, withResolver: true })
  return (
    <ConfirmDialog
      opened={leaving.status === 'blocked'}
      title={texts.leaveWithoutSaving}
      action={texts.leave}
      onConfirm={async () => leaving.proceed?.()}
      onClose={() => leaving.reset?.()}
    >
      {texts.leaveWithoutSavingBody(props.what)}
    </ConfirmDialog>
  )
}
