import {
  ATTENTION,
  type AttentionItem,
  type AttentionKind,
  onlyValue,
  SEVERITIES,
  type Severity,
  type Situation,
} from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { useFold } from '../../design/table/fold.tsx'
import { Status, type Tone } from '../../design/table/status.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import classes from './overview.module.css'
import { texts } from './texts.ts'
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
  const attention = situation.data?.attention
  const items = attention?.items ?? []
  const { shown, button } = useFold(items, SHOWN)
  return (
    <Panel title={texts.needsAttention} busy={situation.isPlaceholderData}>
      <QueryState query={situation} />
      {attention && items.length === 0 ? (
        <EmptyState icon="check" title={texts.nothingNeedsAttention}>
          {texts.nothingNeedsAttentionBody}
        </EmptyState>
      ) : null}
      <ol className={classes.attention}>
        {shown.map((item) => (
          <AttentionLine key={keyOf(item)} item={item} window={window} />
        ))}
      </ol>
      {button}
      {attention ? <NotListed attention={attention} window={window} /> : null}
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
function NotListed(props: { readonly attention: Situation['attention']; readonly window: TimeWindow }) {
  const { items, counts, withheld } = props.attention
  const more = counts.flatMap(({ kind, count }) => {
    const left = count - items.filter((item) => item.kind === kind).length
    return left > 0 ? [{ kind, words: texts.more(left, KIND_WORDS[kind]) }] : []
  })
  return (
    <>
      {more.length > 0 ? (
        <p className="soft">
          {more.map(({ kind, words }, index) => (
            <Fragment key={kind}>
              {index > 0 ? ', ' : null}
              <MoreOf kind={kind} window={props.window}>
                {words}
              </MoreOf>
            </Fragment>
          ))}
        </p>
      ) : null}
      {withheld.length > 0 ? (
        <p className="soft">
          {texts.yourRoleDoesNotShow(withheld.map((kind) => KIND_WORDS[kind]).join(', '))}
        </p>
      ) : null}
    </>
  )
}

/** Where those of a kind are that are counted and not listed. */
function MoreOf(props: {
  readonly kind: AttentionKind
  readonly window: TimeWindow
  readonly children: ReactNode
}) {
  const { kind, window, children } = props
  switch (ATTENTION[kind].leadsTo) {
    case 'requests':
      return (
        <Link to="/traffic" search={{ ...window, ...BEHIND[kind] }}>
          {children}
        </Link>
      )
    case 'site':
      return <Link to="/sites">{children}</Link>
    case 'researcher':
      return <Link to="/researchers">{children}</Link>
    case 'gateways':
      return <Link to="/gateways">{children}</Link>
    case 'apiKeys':
      return (
        <Link to="/organization/$tab" params={{ tab: 'keys' }}>
          {children}
        </Link>
      )
  }
}

/** The requests behind all of a kind. */
const BEHIND: Readonly<Partial<Record<AttentionKind, TrafficSearch>>> = {
  origin_error_after_hit: {
    status: ['5xx'],
    outcome: ['origin'],
    severity: [...SEVERITIES],
    group: 'route',
  },
  limit_exhausted: { outcome: ['limit'], group: 'rule' },
  new_tool: { group: 'tool' },
}

const keyOf = ({ kind, site, researcher, gateway, apiKey, value, route }: AttentionItem): string =>
  [kind, site?.id, researcher?.id, gateway, apiKey?.id, value, route].join(' ')
