import { Button, Checkbox } from '@mantine/core'
import type { Hacker, Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRoster, useSiteListChange, useSiteResearchers } from '../../../api/queries/researcher-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { EmptyState, LoadingState, QueryFailure } from '../../../design/feedback/states.tsx'
import { SearchField } from '../../../design/form/fields.tsx'
import { MoreButton } from '../../../design/table/table.tsx'
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'
import { ResearcherState } from '../../../parts/researcher/researcher-state.tsx'
import classes from './access.module.css'
import { texts } from './texts.ts'

/** Everybody who is invited, with a tick for those on the list of a site. */
export function ResearcherList({ site, mayChange }: { readonly site: Site; readonly mayChange: boolean }) {
  const [search, setSearch] = useState('')
  const roster = useRoster(search)
  const { list, toggle, dialog } = useSiteList(site)
  if (list.isPending || roster.isPending) return <LoadingState />
  const failed = list.error ? list : roster
  if (failed.error || !list.data)
    return <QueryFailure error={failed.error} onRetry={() => void failed.refetch()} />
  if (roster.rows.length === 0 && search === '') return <NobodyInvited />
  const { ids } = list.data
  return (
    <>
      {dialog}
      <div className={classes.person}>
        <SearchField aria-label={texts.searchResearchers} value={search} onText={setSearch} />
        <span className="soft">{texts.onTheList(ids.length, site.hasCustomList)}</span>
      </div>
      <div className={classes.people}>
        {roster.rows.map((one) => (
          <Person
            key={one.id}
            researcher={one}
            isListed={ids.includes(one.id)}
            disabled={!mayChange}
            onToggle={() => toggle(one)}
          />
        ))}
        {roster.rows.length === 0 ? <p className={classes.person}>{texts.noResearchersMatch}</p> : null}
        <MoreButton list={roster} />
      </div>
    </>
  )
}

/** The list of a site, and the act that adds somebody to it or removes them. */
function useSiteList(site: Site) {
  const notices = useNotices()
  const list = useSiteResearchers(site.id)
  const save = useSiteListChange(site.id)
  const { ask, dialog } = useAskFirst()
  const change = (id: string, listed: boolean) =>
    notices.whenDone(save.mutateAsync({ id, listed }), texts.theListIsChanged, () =>
      save.mutateAsync({ id, listed: !listed }),
    )
  const toggle = ({ id, email }: Hacker) => {
    const ids = list.data?.ids ?? []
    const isListed = ids.includes(id)
    // Who is taken off a list that is in force is shut out.
    if (!isListed || !site.hasCustomList) return change(id, !isListed)
    ask({
      change: { kind: 'accessList', siteId: site.id, hackerIds: ids.filter((one) => one !== id) },
      title: texts.removeFromTheList,
      action: texts.removeFromListQuestion,
      words: texts.mayNotEnterAnyMore(email, site.gatedName),
      make: () => change(id, false),
    })
  }
  return { list, toggle, dialog }
}

function NobodyInvited() {
  return (
    <EmptyState
      icon="researchers"
      title={texts.noResearchersYet}
      action={
        <Button renderRoot={(props) => <Link to="/researchers" {...props} />}>
          {texts.inviteAResearcher}
        </Button>
      }
    />
  )
}

function Person(props: {
  readonly researcher: Hacker
  readonly isListed: boolean
  readonly disabled: boolean
  readonly onToggle: () => void
}) {
  const { name, email } = props.researcher
  return (
    <div className={classes.person}>
      <Checkbox
        disabled={props.disabled}
        checked={props.isListed}
        onChange={props.onToggle}
        label={
          <span className={classes.personName}>
            {/* Isolated, so that a name written from right to left does not turn the address around. */}
            {name ? <bdi>{name}</bdi> : null}
            {name ? ' · ' : null}
            {email}
          </span>
        }
      />
      <ResearcherState researcher={props.researcher} />
    </div>
  )
}
