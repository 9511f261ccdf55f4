/** Who may enter: every active researcher, or the ones ticked here. */
import { Button, Checkbox, SegmentedControl, TextInput } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readModifyWrite } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useRoster } from '../../../api/queries/researcher-queries.ts'
import { useSiteChange } from '../../../api/queries/site-queries.ts'
import { useServices } from '../../../api/services.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../../design/feedback/states.tsx'
import { Columns, Panel } from '../../../design/page/panel.tsx'
import { MoreButton } from '../../../design/table/more-button.tsx'
import { ResearcherState } from '../../../parts/researcher/researcher-state.tsx'
import classes from '../sites.module.css'
import { AccessCheck } from './access-check.tsx'

export function AccessTab({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const change = useSiteChange((api, listed: boolean) =>
    api.call('sitesAllowedHackerType', { body: { id: site.id, allowedHackerType: listed } }),
  )
  const choose = (listed: boolean) =>
    notices.whenDone(
      change.mutateAsync(listed),
      listed ? 'Only the list may enter.' : 'Every active researcher may enter.',
      () => change.mutateAsync(!listed),
    )
  return (
    <Columns fit="wide">
      <Panel
        title="Who may enter"
        description="In force at the gate within a second; running requests of those who lose access are cut."
        actions={
          <SegmentedControl
            aria-label="Who may enter"
            size="xs"
            disabled={!may || change.isPending}
            value={site.hasCustomList ? 'list' : 'all'}
            onChange={(value) => choose(value === 'list')}
            data={[
              { value: 'all', label: 'All active researchers' },
              { value: 'list', label: 'Only this list' },
            ]}
          />
        }
        flush
      >
        <ResearcherList site={site} mayChange={may} />
      </Panel>
      <AccessCheck siteId={site.id} />
    </Columns>
  )
}

function ResearcherList({ site, mayChange }: { readonly site: Site; readonly mayChange: boolean }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const [search, setSearch] = useState('')
  const roster = useRoster(search)
  const key = ['sites', site.id, 'hackers']
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call('sitesGetHackers', { params: { id: site.id } }, { signal }),
  })
  // Changes the list as it is now: somebody else may have changed it since it was shown.
  const put = useMutation({
    mutationFn: ({ id, listed }: { readonly id: string; readonly listed: boolean }) => {
      const params = { id: site.id }
      return readModifyWrite(
        () => api.callVersioned('sitesGetHackers', { params }),
        (now, options) => {
          const others = now.ids.filter((one) => one !== id)
          const body = { ids: listed ? [...others, id] : others }
          return api.call('sitesSetHackers', { params, body }, options)
        },
      )
    },
    onSuccess: (saved) => queryClient.setQueryData(key, saved),
  })
  if (list.isPending || roster.isPending) return <LoadingState />
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (roster.error) return <ErrorState error={roster.error} onRetry={() => void roster.refetch()} />
  const ids = list.data.ids
  const toggle = (id: string) => {
    const listed = !ids.includes(id)
    notices.whenDone(put.mutateAsync({ id, listed }), 'The list is changed.', () =>
      put.mutateAsync({ id, listed: !listed }),
    )
  }
  if (roster.rows.length === 0 && search === '')
    return (
      <EmptyState
        icon="researchers"
        title="Nobody is invited yet"
        action={
          <Button renderRoot={(props) => <Link to="/researchers" {...props} />}>Invite a researcher</Button>
        }
      />
    )
  return (
    <>
      <div className={classes.person}>
        <TextInput
          type="search"
          size="xs"
          aria-label="Search researchers"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <span className="soft">
          {ids.length} on the list{site.hasCustomList ? '' : ', not in force now'}
        </span>
      </div>
      <div className={classes.people}>
        {roster.rows.map((one) => (
          <div key={one.id} className={classes.person}>
            <Checkbox
              disabled={!mayChange || put.isPending}
              checked={ids.includes(one.id)}
              onChange={() => toggle(one.id)}
              label={
                <span className={classes.personName}>
                  {/* Isolated, so that a name written from right to left does not turn the address around. */}
                  {one.name ? <bdi>{one.name}</bdi> : null}
                  {one.name ? ' · ' : null}
                  {one.email}
                </span>
              }
            />
            <ResearcherState researcher={one} />
          </div>
        ))}
        {roster.rows.length === 0 ? <p className={classes.person}>Nobody matches.</p> : null}
        <MoreButton list={roster} />
      </div>
    </>
  )
}
