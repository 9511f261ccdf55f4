import type { Situation } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { relativeWords, useNow } from '../../design/time/time.tsx'
import classes from './overview.module.css'
import { ClauseParts } from './words/clause-parts.tsx'
import { clausesOf, quietWords } from './words/sentence.ts'

const MINUTE_MS = 60_000

/** What matters now, in one sentence; each clause leads to its requests. */
export function SentenceOfNow(props: { readonly situation: Situation; readonly window: TimeWindow }) {
  const { situation, window } = props
  const now = useNow(MINUTE_MS / 2)
  const clauses = clausesOf(situation, window)
  if (clauses.length === 0) {
    const { newestRequest } = situation
    const ago = newestRequest === null ? '' : relativeWords(Date.parse(newestRequest) - now)
    return <p className={classes.sentence}>{quietWords(situation, ago)}</p>
  }
  return (
    <p className={classes.sentence}>
      {clauses.map(({ parts, search }, index) => (
        <Fragment key={JSON.stringify(search)}>
          {index > 0 ? '; ' : null}
          <Link to="/traffic" search={search}>
            <ClauseParts parts={parts} begins={index === 0} />
          </Link>
        </Fragment>
      ))}
      .
    </p>
  )
}
