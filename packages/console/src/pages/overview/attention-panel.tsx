import { Button } from '@mantine/core'
import { ATTENTION, type AttentionItem, onlyValue, type Severity, type Situation } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../design/number.ts'
import { Panel } from '../../design/page/panel.tsx'
import { Status, type Tone } from '../../design/table/status.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import classes from './overview.module.css'
import { ACT_WORDS, attentionParts, KIND_WORDS } from './words/attention-words.ts'
import { ClauseParts } from './words/clause-parts.tsx'
import { errorFilters } from './words/sentence.ts'

const SHOWN = 6
const TONES: Readonly<Record<Severity, Tone>> = { critical: 'bad', high: 'bad', medium: 'warn', low: 'off' }

/** What needs attention, the most urgent first, each with the one act that it leads to. */
export function AttentionPanel(props: {
  readonly situation: ReturnType<typeof useSituation>
  readonly window: TimeWindow
}) {
  const { situation, window } = props
  const [isWhole, setWhole] = useState(false)
  const attention = situation.data?.attention
  const items = attention?.items ?? []
  return (
    <Panel title="Needs attention" busy={situation.isPlaceholderData}>
      <QueryState query={situation} />
      {attention && items.length === 0 ? (
        <EmptyState icon="check" title="Nothing needs attention">
          Gateways, origins, windows, access, limits and answers to attacks are watched.
        </EmptyState>
      ) : null}
      <ol className={classes.attention}>
        {items.slice(0, isWhole ? undefined : SHOWN).map((item) => (
          <AttentionLine key={keyOf(item)} item={item} window={window} />
        ))}
      </ol>
      {items.length > SHOWN ? (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show the most urgent' : `Show ${items.length - SHOWN} more`}
        </Button>
      ) : null}
      {attention ? <NotListed attention={attention} /> : null}
    </Panel>
  )
}

function AttentionLine({ item, window }: { readonly item: AttentionItem; readonly window: TimeWindow }) {
  const { severity, since, lastSeen, ends } = item
  return (
    <li>
      <Status tone={TONES[severity]} words={severity.charAt(0).toUpperCase() + severity.slice(1)} />
      <span className={classes.attentionWords}>
        <ClauseParts parts={attentionParts(item)} />{' '}
        <span className="soft">
          <RelativeTime instant={ends ?? lastSeen ?? since} otherwise="" />
        </span>
      </span>
      <Act item={item} window={window} />
    </li>
  )
}

function Act({ item, window }: { readonly item: AttentionItem; readonly window: TimeWindow }) {
  const { kind, site, researcher, value } = item
  const { leadsTo } = ATTENTION[kind]
  const words = ACT_WORDS[leadsTo]
  switch (leadsTo) {
    case 'requests': {
      const search = {
        ...window,
        ...(site && { site: [site.id] }),
        ...(researcher && { hacker: [researcher.id] }),
      }
      if (kind === 'limit_exhausted')
        return (
          <Link to="/traffic" search={{ ...search, outcome: ['limit'], rule: [onlyValue(value)] }}>
            {words}
          </Link>
        )
      if (kind === 'new_tool')
        return (
          <Link to="/traffic" search={{ ...search, tool: [onlyValue(value)] }}>
            {words}
          </Link>
        )
      return (
        <Link
          to="/traffic"
          search={{
            ...search,
            ...errorFilters(item),
          }}
        >
          {words}
        </Link>
      )
    }
    case 'site':
      return (
        <Link to="/sites/$siteId/$tab" params={{ siteId: site?.id ?? '', tab: 'settings' }}>
          {words}
        </Link>
      )
    case 'researcher':
      return (
        <Link to="/researchers/$researcherId" params={{ researcherId: researcher?.id ?? '' }}>
          {words}
        </Link>
      )
    case 'gateways':
      return <Link to="/gateways">{words}</Link>
    case 'apiKeys':
      return (
        <Link to="/organization/$tab" params={{ tab: 'keys' }}>
          {words}
        </Link>
      )
  }
}

/** What is counted and not listed, and what the viewer's role is not told of. */
function NotListed({ attention }: { readonly attention: Situation['attention'] }) {
  const { items, counts, withheld } = attention
  const more = counts.flatMap(({ kind, count }) => {
    const left = count - items.filter((item) => item.kind === kind).length
    return left > 0 ? `${wholeNumber(left)} more ${KIND_WORDS[kind]}` : []
  })
  return (
    <>
      {more.length > 0 ? <p className="soft">And {more.join(', ')}.</p> : null}
      {withheld.length > 0 ? (
        <p className="soft">
          Your role is not told of {withheld.map((kind) => KIND_WORDS[kind]).join(', ')}.
        </p>
      ) : null}
    </>
  )
}

const keyOf = ({ kind, site, researcher, gateway, apiKey, value, route }: AttentionItem): string =>
  [kind, site?.id, researcher?.id, gateway, apiKey?.id, value, route].join(' ')
