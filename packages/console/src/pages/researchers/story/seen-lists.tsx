/** With which tools and from which addresses, at which sites, with which attacks; and why the gate refused. */
import { type HackerProfile, onlyValue } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFacets } from '../../../api/traffic/analytics-queries.ts'
import { EmptyState, QueryState, type ShownQuery } from '../../../design/feedback/states.tsx'
import { Columns, Panel } from '../../../design/page/panel.tsx'
import { BarList } from '../../../design/table/bar-list.tsx'
import { useFold } from '../../../design/table/fold.tsx'
import { type Column, Table } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { AttackSquare } from '../../../parts/attack/attack-name.tsx'
import { reasonWords } from '../../../parts/traffic/code-words.ts'
import { FacetPanel } from '../../../parts/traffic/facet-panel.tsx'
import { type TrafficSearch, UNNAMED_SCANNERS } from '../../../parts/traffic/search.ts'
import { StopAtSite } from './stop-at-site.tsx'
import classes from './story.module.css'
import { texts } from './texts.ts'

const REASON = ['reason'] as const
const VALUES_SHOWN = 6

interface ListsProps {
  readonly query: ShownQuery
  readonly profile: HackerProfile | undefined
  /** What the sites of the profile are called that are there still. */
  readonly siteNames: ReadonlyMap<string, string>
  readonly researcherId: string
  /** The window and the researcher. */
  readonly search: TrafficSearch
}

export function SeenLists({ query, profile, siteNames, researcherId, search }: ListsProps) {
  const facets = useFacets(search, REASON, VALUES_SHOWN)
  const siteName = (id: string): string => siteNames.get(id) ?? (id || texts.theGatesOwnHost)
  const seen = { query, isKnown: profile !== undefined }
  return (
    <>
      <Columns>
        <SeenPanel
          {...seen}
          title={texts.tools}
          rows={profile ? toolRows(profile) : []}
          words={(tool) => TOOL_WORDS[tool] ?? tool}
          search={(tool) =>
            tool === UNNAMED_SCANNER
              ? { ...search, ...UNNAMED_SCANNERS }
              : { ...search, tool: [onlyValue(tool)] }
          }
        />
        <SeenPanel
          {...seen}
          title={texts.addresses}
          rows={profile?.addresses.map(({ address, ...row }) => ({ value: address, ...row })) ?? []}
          words={(address) => address || texts.notRecorded}
          search={(address) => ({ ...search, address: [onlyValue(address)] })}
        />
      </Columns>
      <Columns fit="three">
        <CountPanel
          {...seen}
          title={texts.sites}
          rows={profile?.sites.map(({ site, requests }) => ({ value: site, count: requests })) ?? []}
          words={siteName}
          search={(site) => ({ ...search, site: [onlyValue(site)] })}
          act={(id) => {
            const gatedName = siteNames.get(id)
            return gatedName ? <StopAtSite {...{ siteId: id, gatedName, researcherId }} /> : null
          }}
        />
        <CountPanel
          {...seen}
          title={texts.attackClasses}
          rows={profile?.attacks.map(({ class: name, attempts }) => ({ value: name, count: attempts })) ?? []}
          words={attackWords}
          mark={(name) => <AttackSquare attackClass={name} />}
          search={(name) => ({ ...search, firewallClass: [onlyValue(name)] })}
        />
        <FacetPanel
          title={texts.refusalReasons}
          facets={facets}
          field="reason"
          keep={({ value }) => value !== ''}
          search={(reason) => ({ ...search, reason: [onlyValue(reason)] })}
          whole={{ ...search, group: 'reason' }}
          words={reasonWords}
          icon="traffic"
          none={texts.noDataInThisWindow}
        />
      </Columns>
    </>
  )
}

/** No tool is called so: names have no space. */
const UNNAMED_SCANNER = ' '
const TOOL_WORDS: Readonly<Record<string, string>> = {
  '': texts.browserOrUnknown,
  [UNNAMED_SCANNER]: texts.ofTheseAScanner,
}

/** Tools by name; after what names none, how much of that a scanner sent. */
const toolRows = ({ tools, unnamedScanner }: HackerProfile): SeenRow[] =>
  tools.flatMap(({ tool, ...row }) => [
    { value: tool, ...row },
    ...(tool === '' && unnamedScanner ? [{ value: UNNAMED_SCANNER, ...unnamedScanner }] : []),
  ])

interface PanelProps<Row> {
  readonly query: ShownQuery
  readonly isKnown: boolean
  readonly title: string
  readonly rows: readonly Row[]
  readonly words: (value: string) => string
  readonly search: (value: string) => TrafficSearch
}

/** Rows that are known; until then, that they are not. */
const Known = (
  props: Omit<PanelProps<unknown>, 'title' | 'words' | 'search'> & { readonly children: ReactNode },
) =>
  props.isKnown ? (
    props.rows.length === 0 ? (
      <EmptyState icon="traffic" title={texts.noDataInThisWindow} />
    ) : (
      props.children
    )
  ) : (
    <QueryState query={props.query} />
  )

interface SeenRow {
  readonly value: string
  readonly requests: number
  readonly firstSeen: string
  readonly lastSeen: string
}

function SeenPanel({ title, words, search, ...known }: PanelProps<SeenRow>) {
  const columns: readonly Column<SeenRow>[] = [
    {
      head: title,
      cell: ({ value }) => (
        <Link to="/traffic" search={search(value)}>
          {words(value)}
        </Link>
      ),
    },
    {
      head: texts.firstSeen,
      secondary: true,
      cell: (row) => <RelativeTime instant={row.firstSeen} />,
    },
    { head: texts.lastSeen, secondary: true, cell: (row) => <RelativeTime instant={row.lastSeen} /> },
    { head: texts.requests, align: 'end', cell: ({ requests }) => wholeNumber(requests) },
  ]
  return (
    <Panel title={title} flush>
      <Known {...known}>
        <Table label={title} rows={known.rows} rowKey={({ value }) => value} columns={columns} />
      </Known>
    </Panel>
  )
}

function CountPanel(
  props: PanelProps<{ readonly value: string; readonly count: number }> & {
    readonly mark?: (value: string) => ReactNode
    /** What can be done about a value. */
    readonly act?: (value: string) => ReactNode
  },
) {
  const { title, words, search, mark, act, ...known } = props
  const { shown, button } = useFold(known.rows, VALUES_SHOWN)
  const top = Math.max(...shown.map(({ count }) => count), 1)
  return (
    <Panel title={title}>
      <Known {...known}>
        <BarList
          items={shown}
          itemKey={({ value }) => value}
          share={({ count }) => count / top}
          name={({ value }, className) => (
            <Link to="/traffic" search={search(value)} className={className}>
              {mark ? <>{mark(value)} </> : null}
              {words(value)}
            </Link>
          )}
          value={({ value, count }) => (
            <span className={classes.counted}>
              {act?.(value)}
              <span className="tabular">{wholeNumber(count)}</span>
            </span>
          )}
        />
        {button}
      </Known>
    </Panel>
  )
}
