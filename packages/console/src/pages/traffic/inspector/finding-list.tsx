import { Button } from '@mantine/core'
import type { FirewallHit } from '@sallyport/contract'
import { useState } from 'react'
import { usePermission } from '../../../api/queries/account-queries.ts'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { usePageKeys } from '../../../design/keys.ts'
import { Tag } from '../../../design/table/status.tsx'
import { AttackName } from '../../../parts/attack/attack-name.tsx'
import { ExclusionDialog } from '../../../parts/firewall/exclusion-dialog.tsx'
import { scoreWords } from '../../../parts/traffic/code-words.ts'
import classes from '../traffic.module.css'
import { findingsOf, type RequestFinding, rulesOf } from './findings.ts'
import { texts } from './texts.ts'

/** Firewall findings in a request, as findings, each with the way to an exclusion; nothing where it saw nothing. */
export function FindingList({ request }: { readonly request: LoggedRequest }) {
  const may = usePermission('firewall:write') && request.siteId !== ''
  const [excluding, setExcluding] = useState<readonly FirewallHit[] | null>(null)
  const findings = findingsOf(request.hits)
  const first = findings.find(({ excluded }) => !excluded)
  usePageKeys({ x: may && first ? () => setExcluding(first.hits) : undefined })
  const [hit] = excluding ?? []
  if (findings.length === 0) return null
  return (
    <div className={classes.hits}>
      <h3>{texts.firewallFindings}</h3>
      {findings.map((finding) => (
        <FindingItem
          key={`${finding.class} ${finding.part} ${finding.parameter} ${finding.excluded}`}
          finding={finding}
          onExclude={may && !finding.excluded ? setExcluding : undefined}
        />
      ))}
      {excluding && hit ? (
        <ExclusionDialog
          opened
          siteId={request.siteId}
          from={{ requestId: request.id, hit, furtherRules: otherRules(excluding) }}
          onClose={() => setExcluding(null)}
        />
      ) : null}
    </div>
  )
}

const otherRules = ([first, ...others]: readonly FirewallHit[]): readonly string[] =>
  [...new Set(others.map(({ rule }) => rule))].filter((rule) => rule !== first?.rule)

function FindingItem(props: {
  readonly finding: RequestFinding
  readonly onExclude: ((hits: readonly FirewallHit[]) => void) | undefined
}) {
  const { finding, onExclude } = props
  const rules = rulesOf(finding)
  const [only] = rules
  return (
    <div className={classes.hit} data-excluded={finding.excluded}>
      <div className={classes.hitHead}>
        <strong>
          <AttackName attackClass={finding.class} />
        </strong>
        <span>
          {texts.in(<span className="mono">{finding.parameter || finding.part}</span>)}
          {finding.parameter ? <span className="soft"> ({finding.part})</span> : null}
        </span>
        <span className="soft">
          {rules.length > 1 ? texts.rules(rules.length) : <span className="mono">{only}</span>}
        </span>
        <Tag>{finding.severity}</Tag>
        {finding.scorePercent > 0 ? (
          <span className="tabular">{scoreWords(finding.scorePercent)}</span>
        ) : null}
        {finding.excluded ? <Tag>{texts.excluded}</Tag> : null}
      </div>
      {finding.reason ? <div>{texts.becauseOf(finding.reason)}</div> : null}
      {rules.length > 1 ? (
        <details>
          <summary>{texts.theRulesAndWhat(rules.length)}</summary>
          <HitList hits={finding.hits} onExclude={onExclude} />
        </details>
      ) : (
        finding.hits.map((hit) => <Excerpt key={hit.excerpt} text={hit.excerpt} />)
      )}
      {onExclude ? (
        <div>
          <Button variant="default" onClick={() => onExclude(finding.hits)}>
            {rules.length > 1 ? texts.excludeTheseRulesHere(rules.length) : texts.makeAnExclusion}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function HitList(props: {
  readonly hits: readonly FirewallHit[]
  readonly onExclude: ((hits: readonly FirewallHit[]) => void) | undefined
}) {
  return (
    <ul className={classes.hitList}>
      {props.hits.map((hit) => (
        <li key={`${hit.rule} ${hit.excerpt}`}>
          <div className={classes.hitHead}>
            <span className="mono">{hit.rule}</span>
            <span className="soft">{hit.severity}</span>
            {props.onExclude ? (
              <Button
                variant="subtle"
                size="compact-xs"
                aria-label={texts.excludeOnly(hit.rule)}
                onClick={() => props.onExclude?.([hit])}
              >
                {texts.onlyThisOne}
              </Button>
            ) : null}
          </div>
          <Excerpt text={hit.excerpt} />
        </li>
      ))}
    </ul>
  )
}

const Excerpt = ({ text }: { readonly text: string }) =>
  text ? <pre className={classes.target}>{text}</pre> : null
