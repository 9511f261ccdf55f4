/**
 * The dialogs with a form that are open, drawn beside the page and not within it: a role that is lowered, a row that somebody removes or a
 * page that cannot be asked for again takes away the button that opened a dialog, and not the dialog with what is typed in it. It stays
 * until it is closed, or until the page is left.
 */
import { CatchBoundary, useBlocker, useRouter, useRouterState } from '@tanstack/react-router'
import {
  createContext,
  type FormEvent,
  memo,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { ErrorState } from '../feedback/states.tsx'
import { isOtherPage } from './ask-before-leaving.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { texts } from './texts.ts'

export interface FormDialogProps {
  readonly opened: boolean
  readonly title: string
  readonly size?: 'lg' | undefined
  readonly onClose: () => void
  /** The form, which calls what it is given once it has saved. */
  readonly children: (close: () => void) => ReactNode
}

export interface FormDialogs {
  /** Draws one as it is now. */
  show(id: string, props: FormDialogProps): void
  close(id: string): void
  /** What opened it is gone. */
  leave(id: string): void
}

interface DrawnDialog {
  readonly id: string
  /** The path of the page that opened it. */
  readonly path: string
  readonly isLeft: boolean
  readonly props: FormDialogProps
}

const FormDialogsContext = createContext<FormDialogs | null>(null)

export function useFormDialogs(): FormDialogs {
  const dialogs = useContext(FormDialogsContext)
  if (!dialogs) throw new Error('useFormDialogs needs a FormDialogsProvider')
  return dialogs
}

export function FormDialogsProvider({ children }: { readonly children: ReactNode }) {
  const router = useRouter()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const [drawn, setDrawn] = useState<readonly DrawnDialog[]>([])
  const dialogs = useMemo<FormDialogs>(() => {
    const change = (id: string, become: (one: DrawnDialog) => DrawnDialog | null) =>
      setDrawn((all) => all.flatMap((one) => (one.id === id ? (become(one) ?? []) : one)))
    return {
      show: (id, props) => {
        const here = router.state.location.pathname
        setDrawn((all) => {
          const known = all.find((one) => one.id === id)
          const shown = { id, path: known?.props.opened ? known.path : here, isLeft: false, props }
          return known ? all.map((one) => (one === known ? shown : one)) : [...all, shown]
        })
      },
      close: (id) =>
        change(id, (one) => (one.isLeft ? null : { ...one, props: { ...one.props, opened: false } })),
      leave: (id) => change(id, (one) => (one.props.opened ? { ...one, isLeft: true } : null)),
    }
  }, [router])
  useEffect(() => {
    for (const { id, path: itsPath, props } of drawn)
      if (itsPath !== path && props.opened) {
        dialogs.close(id)
        props.onClose()
      }
  }, [dialogs, drawn, path])
  return (
    <FormDialogsContext value={dialogs}>
      {children}
      {drawn.map(({ id, props }) => (
        <OneFormDialog key={id} id={id} {...props} />
      ))}
    </FormDialogsContext>
  )
}

/** Drawn again only where it has changed: a form may have a dialog of its own. */
const OneFormDialog = memo(function OneFormDialog(props: FormDialogProps & { readonly id: string }) {
  const { id, opened, onClose, size } = props
  const dialogs = useFormDialogs()
  const entered = useRef<HTMLElement | null>(null)
  const [asks, setAsks] = useState(false)
  const noteInput = ({ target }: FormEvent) => {
    if (target instanceof HTMLElement && target.closest('form')) entered.current = target
  }
  // A form that was sent may have given way to what it made.
  const isUnsaved = () => entered.current?.isConnected === true
  const leaving = useBlocker({
    shouldBlockFn: (move) => isUnsaved() && isOtherPage(move),
    enableBeforeUnload: isUnsaved,
    disabled: !opened,
    withResolver: true,
  })
  const close = () => {
    entered.current = null
    dialogs.close(id)
    onClose()
  }
  const askToClose = () => {
    if (!isUnsaved()) return close()
    // Where the focus goes back to once the question is closed.
    entered.current?.focus()
    // After this event: the question would take the same Escape as its answer.
    setTimeout(() => setAsks(true))
  }
  const isAsked = asks || leaving.status === 'blocked'
  return (
    <>
      <Dialog
        opened={opened}
        onClose={askToClose}
        closeOnEscape={!isAsked}
        title={props.title}
        {...(size ? { size } : {})}
      >
        <CatchBoundary getResetKey={() => id} errorComponent={ErrorState}>
          <div onInput={noteInput}>{props.children(close)}</div>
        </CatchBoundary>
      </Dialog>
      <ConfirmDialog
        opened={opened && isAsked}
        title={texts.discard}
        action={texts.discardAction}
        onConfirm={async () => (leaving.proceed ?? close)()}
        onClose={() => {
          setAsks(false)
          leaving.reset?.()
        }}
      >
        {texts.discardBody}
      </ConfirmDialog>
    </>
  )
})
