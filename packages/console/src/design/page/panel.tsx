/** A titled part of a page, and the head of the page itself. */
import type { ReactNode } from 'react'
import { useId } from 'react'
import { isFinalRefusal } from '../../api/error-words.ts'
import { useIsUnsaved } from '../dialog/unsaved.ts'
import { QueryState, type ShownQuery } from '../feedback/states.tsx'
import classes from './panel.module.css'

export function Page(props: {
  readonly title: string
  /** Which of its parts is shown, for the title of the window: the history names each apart. */
  readonly part?: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** The page is as high as the window, where that is high enough, and its parts scroll instead of it. */
  readonly fill?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={classes.page} data-fill={props.fill}>
      <title>{[props.part, props.title, 'Sallyport'].filter(Boolean).join(' · ')}</title>
      <header className={classes.head}>
        <div className={classes.heading}>
          <h1>{props.title}</h1>
          {props.lead ? <div className="soft">{props.lead}</div> : null}
        </div>
        {props.actions ? <div className={classes.actions}>{props.actions}</div> : null}
      </header>
      {props.children}
    </div>
  )
}

export function Panel(props: {
  readonly title?: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly flush?: boolean
  /** The content answers an earlier question; the answer to the present one is loading. */
  readonly busy?: boolean
  readonly children: ReactNode
}) {
  const titleId = useId()
  return (
    <section
      className={classes.panel}
      aria-busy={props.busy === true}
      {...(props.title ? { 'aria-labelledby': titleId } : {})}
    >
      {props.title || props.actions ? (
        <div className={classes.panelHead}>
          <div>
            {props.title ? <h2 id={titleId}>{props.title}</h2> : null}
            {props.description ? <div className={classes.description}>{props.description}</div> : null}
          </div>
          {props.actions ? <div className={classes.actions}>{props.actions}</div> : null}
        </div>
      ) : null}
      <div className={props.flush ? classes.flush : classes.body}>{props.children}</div>
    </section>
  )
}

const COLUMNS = {
  two: classes.columns,
  wide: classes.columnsWide,
  three: classes.columnsThree,
  four: classes.columnsNarrow,
}

/** Panels side by side where there is room, so many in a row; `wide` gives the first of two twice as much. */
export function Columns(props: { readonly fit?: keyof typeof COLUMNS; readonly children: ReactNode }) {
  const name = COLUMNS[props.fit ?? 'two']
  return <div className={name}>{props.children}</div>
}

/**
 * What a page shows of its query. An answer stays where it cannot be asked for again; where what it is about is there no more, it stays until
 * nothing on the page is unsaved.
 */
export function usePageData<Data>(query: ShownQuery & { readonly data: Data | undefined }): Data | undefined {
  const isUnsaved = useIsUnsaved()
  return isFinalRefusal(query.error) && !isUnsaved ? undefined : query.data
}

/**
 * Shown instead of a page whose query is pending or failed, with a heading and a title like any other. The title says what
 * kind of page it is: "Site".
 */
export const PendingPage = ({ title, query }: { readonly title: string; readonly query: ShownQuery }) => (
  <Page title={title}>
    <Panel>
      <QueryState query={query} />
    </Panel>
  </Page>
)
