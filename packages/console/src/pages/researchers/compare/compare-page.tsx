/** Up to four researchers beside each other: what each sent and tried, how far it came, and their visits. */
import type { HackerProfile } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { useProfiles } from '../../../api/traffic/story-queries.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Page, Panel } from '../../../design/page/panel.tsx'
import { useFold } from '../../../design/table/fold.tsx'
import { type Column, QueryTable } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { WindowPicker } from '../../../design/time/window-picker.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { AttackName } from '../../../parts/attack/attack-name.tsx'
import { attackTotals } from '../../../parts/attack/attack-totals.ts'
import { verdictCounts } from '../../../parts/researcher/verdict-counts.ts'
import { UNNAMED_SCANNERS } from '../../../parts/traffic/search.ts'
import classes from './compare.module.css'
import { texts } from './texts.ts'

const route = getRouteApi('/researchers/compare')
const DEFAULT_GTE = 'now-7d'

/** A line of the comparison. */
interface Line {
  readonly name: string
  /** Shown in place of the name. */
  readonly label?: ReactNode
  readonly cell: (profile: HackerProfile) => ReactNode
}

export function ComparePage() {
  const { hacker, gte = DEFAULT_GTE, lte } = route.useSearch()
  const navigate = route.useNavigate()
  const window: TimeWindow = { gte, lte }
  const query = useProfiles(hacker, window)
  const nameOf = useResearcherNames()
  const profiles = query.data?.profiles ?? []
  const columns: readonly Column<Line>[] = [
    { head: texts.what, cell: ({ name, label }) => <span className={classes.what}>{label ?? name}</span> },
    ...hacker.map((id) => ({
      head: id,
      label: (
        <Link to="/researchers/$researcherId" params={{ researcherId: id }} className={classes.name}>
          {nameOf(id)}
        </Link>
      ),
      cell: ({ cell }: Line) => {
        const profile = profiles.find((one) => one.hacker === id)
        return profile ? cell(profile) : null
      },
    })),
  ]
  return (
    <Page
      title={texts.compareResearchers}
      lead={<Link to="/researchers">{texts.researchers}</Link>}
      actions={
        <WindowPicker
          value={window}
          onChange={(chosen) => void navigate({ search: { hacker, ...chosen } })}
        />
      }
    >
      <Panel flush busy={query.isPlaceholderData}>
        {hacker.length === 0 ? (
          <EmptyState icon="researchers" title={texts.noResearchersSelected}>
            {texts.noResearchersSelectedBody}
          </EmptyState>
        ) : (
          <QueryTable
            query={query}
            rows={query.data ? linesOf(profiles, window) : []}
            empty={null}
            label={texts.researchersCompared}
            rowKey={({ name }) => name}
            columns={columns}
          />
        )}
      </Panel>
    </Page>
  )
}

function linesOf(profiles: readonly HackerProfile[], window: TimeWindow): readonly Line[] {
  return [
    {
      name: texts.firstSeen,
      cell: ({ firstSeen }) => <RelativeTime instant={firstSeen} otherwise={texts.never} />,
    },
    {
      name: texts.lastSeen,
      cell: ({ lastSeen }) => <RelativeTime instant={lastSeen} otherwise={texts.never} />,
    },
    {
      name: texts.visits,
      cell: (one) => <StoryLink hacker={one.hacker}>{wholeNumber(one.visits)}</StoryLink>,
    },
    {
      name: texts.requests,
      cell: ({ hacker, requests }) => (
        <Link to="/traffic" search={{ ...window, hacker: [hacker] }}>
          {wholeNumber(requests)}
        </Link>
      ),
    },
    { name: texts.answers5xx, cell: ({ verdicts }) => wholeNumber(verdictCounts(verdicts).serverErrors) },
    { name: texts.answeredTooMany, cell: ({ verdicts }) => wholeNumber(verdictCounts(verdicts).throttled) },
    { name: texts.refusedByTheGate, cell: ({ verdicts }) => wholeNumber(verdictCounts(verdicts).refused) },
    { name: texts.sites, cell: ({ sites }) => <SiteList sites={sites} /> },
    { name: texts.differentRoutes, cell: ({ routes }) => wholeNumber(routes) },
    { name: texts.routeAndAttackClass, cell: ({ triedRoutes }) => wholeNumber(triedRoutes) },
    {
      name: texts.tools,
      cell: ({ tools }) => tools.map(({ tool }) => tool || texts.browserOrUnknown).join(', '),
    },
    {
      name: texts.likeAScanner,
      cell: ({ hacker, unnamedScanner }) =>
        unnamedScanner ? (
          <Link to="/traffic" search={{ ...window, ...UNNAMED_SCANNERS, hacker: [hacker] }}>
            {wholeNumber(unnamedScanner.requests)}
          </Link>
        ) : (
          <span className="soft">0</span>
        ),
    },
    { name: texts.addresses, cell: ({ addresses }) => seenCount(addresses.length) },
    ...attackTotals(profiles.map(({ attacks }) => attacks)).map(({ class: name }) => ({
      name: attackWords(name),
      label: <AttackName attackClass={name} />,
      cell: ({ hacker, attacks }: HackerProfile) => {
        const attempts = attacks.find((one) => one.class === name)?.attempts ?? 0
        return attempts === 0 ? (
          <span className="soft">0</span>
        ) : (
          <Link to="/traffic" search={{ ...window, hacker: [hacker], firewallClass: [name] }}>
            {wholeNumber(attempts)}
          </Link>
        )
      },
    })),
  ]
}

/** An answer holds so many addresses: whether there were more, it does not say. */
const ADDRESSES_MAX = 50
const seenCount = (count: number): string =>
  count < ADDRESSES_MAX ? wholeNumber(count) : texts.orMore(ADDRESSES_MAX)

function StoryLink({ hacker, children }: { readonly hacker: string; readonly children: ReactNode }) {
  return (
    <Link to="/researchers/$researcherId" params={{ researcherId: hacker }}>
      {children}
    </Link>
  )
}

const SITES_SHOWN = 5

function SiteList({ sites: sent }: { readonly sites: HackerProfile['sites'] }) {
  const sites = useSites()
  const { shown, button } = useFold(sent, SITES_SHOWN)
  const names = shown.map(({ site, requests }) => ({
    id: site,
    words: `${sites.data?.find((one) => one.id === site)?.gatedName ?? (site || texts.theGatesOwnHost)}: ${wholeNumber(requests)}`,
  }))
  return (
    <>
      {names.map(({ id, words }) => (
        <div key={id}>{words}</div>
      ))}
      {button}
    </>
  )
}
