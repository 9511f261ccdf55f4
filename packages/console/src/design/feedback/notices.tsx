/** Short messages at the edge of the window: what was done, with an undo where there is one, or what failed. */
import { ActionIcon, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { errorWords } from '../../api/error-words.ts'
import { Icon } from '../icon.tsx'
import classes from './notices.module.css'
import { texts } from './texts.ts'

const DONE_SHOWN_MS = 7_000

export interface Notices {
  /** Says that something was done; `undo` takes it back. */
  done(words: string, undo?: () => Promise<unknown>): void
  failed(error: unknown): void
  /**
   * Says `words` once `work` is done, or why it failed; `undo` is given its result. Unlike the callbacks given with a call
   * of a mutation, this also works after the component that began it has left the screen.
   */
  whenDone<Result>(work: Promise<Result>, words: string, undo?: (result: Result) => Promise<unknown>): void
}

interface Notice {
  readonly id: number
  readonly tone: 'done' | 'failed'
  readonly words: string
  readonly undo?: (() => Promise<unknown>) | undefined
}

const NoticesContext = createContext<Notices | null>(null)
let lastId = 0

export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly Notice[]>([])
  const close = useCallback((id: number) => setShown((all) => all.filter((one) => one.id !== id)), [])
  const notices = useMemo<Notices>(() => {
    const show = (notice: Omit<Notice, 'id'>) => {
      lastId += 1
      const id = lastId
      setShown((all) => [...all.slice(-3), { ...notice, id }])
      if (notice.tone === 'done') setTimeout(() => close(id), DONE_SHOWN_MS)
    }
    const done: Notices['done'] = (words, undo) => show({ tone: 'done', words, undo })
    const failed = (error: unknown) => {
      const { title, detail } = errorWords(error)
      show({ tone: 'failed', words: detail ? `${title}: ${detail}` : title })
    }
    return {
      done,
      failed,
      whenDone: (work, words, undo) => {
        work.then((result) => done(words, undo && (() => undo(result))), failed)
      },
    }
  }, [close])
  return (
    <NoticesContext value={notices}>
      {children}
      <section className={classes.region} aria-label={texts.notices} aria-live="polite">
        {shown.map((notice) => (
          <NoticeCard key={notice.id} notice={notice} notices={notices} onClose={() => close(notice.id)} />
        ))}
      </section>
    </NoticesContext>
  )
}

function NoticeCard(props: {
  readonly notice: Notice
  readonly notices: Notices
  readonly onClose: () => void
}) {
  const { notice, notices, onClose } = props
  const undo = () => {
    onClose()
    if (notice.undo) notices.whenDone(notice.undo(), texts.undone)
  }
  return (
    <div className={classes.card} data-tone={notice.tone}>
      <span className={classes.words}>{notice.words}</span>
      {notice.undo ? (
        <Button size="compact-xs" variant="default" onClick={undo}>
          {texts.undo}
        </Button>
      ) : null}
      <ActionIcon size="sm" aria-label={texts.closeNotice} onClick={onClose}>
        <Icon name="close" size={12} />
      </ActionIcon>
    </div>
  )
}

export function useNotices(): Notices {
  const notices = useContext(NoticesContext)
  if (!notices) throw new Error('useNotices needs a NoticesProvider')
  return notices
}

/** A mutation that says why it failed, or that it is `done`, and then asks again for the queries under `queryKey`. */
export function useNotifiedMutation<Input = void, Result = unknown>(
  mutationFn: (input: Input) => Promise<Result>,
  { done, queryKey }: { readonly done?: string; readonly queryKey?: readonly unknown[] } = {},
) {
  const queryClient = useQueryClient()
  const notices = useNotices()
  return useMutation({
    mutationFn,
    onSuccess: () => {
      if (done) notices.done(done)
      return queryKey && queryClient.invalidateQueries({ queryKey })
    },
    onError: (error) => notices.failed(error),
  })
}
