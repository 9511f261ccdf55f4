/**
 * Opens a window for what only looks clean because the gate refused it: overrides that observe in the parameters in which it was refused, with an
 * end. The hits are still recorded, and so count as attempts, which those under an exclusion would not.
 */
import { Button } from '@mantine/core'
import type { FirewallOverride } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { usePermission } from '../../api/queries/account-queries.ts'
import type { CellName, CoverageAttempt } from '../../api/queries/coverage-queries.ts'
import { revertListChange, useFirewallChange } from '../../api/queries/firewall-queries.ts'
import { serverNow } from '../../api/server-clock.ts'
import { Callout } from '../../design/feedback/callout.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { isolated } from '../../design/isolated.ts'
import classes from './coverage.module.css'
import { texts } from './texts.ts'

const OPEN_DAYS = 7
const DAY_MS = 86_400_000
/** Of the lists of a site, so that other overrides have room. */
const PLACES_MAX = 20

export function OpenWindow(props: {
  readonly siteId: string
  readonly cell: CellName
  readonly rows: readonly CoverageAttempt[]
}) {
  const { siteId, cell, rows } = props
  const may = usePermission('firewall:write')
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const places = placesOf(rows)
  const open = () => {
    const overrides = overridesFor(cell, places)
    // They go first: the first override that covers a hit decides.
    const saving = change.mutateAsync((now) => ({ ...now, overrides: [...overrides, ...now.overrides] }))
    notices.whenDone(saving, texts.theFirewallOnlyObserves(OPEN_DAYS), (made) =>
      change.mutateAsync(revertListChange(made)),
    )
  }
  return (
    <Callout tone="warn">
      <div className={classes.window}>
        <strong>{texts.looksCleanBecause}</strong>
        <span>{texts.theRequestsNeverReached}</span>
        {places.length > 0 && may ? (
          <>
            <span>
              {texts.forDaysTheFirewall(
                OPEN_DAYS,
                <code>{prefixOf(cell.template)}</code>,
                places.map(({ part, parameter }) => isolated(`${part} ${parameter}`.trim())).join(', '),
              )}
            </span>
            <Button variant="default" loading={change.isPending} onClick={open}>
              {texts.letTheseThrough}
            </Button>
          </>
        ) : null}
        {rows.some(({ verdict }) => verdict === 'block') ? (
          <Link to="/sites/$siteId/$tab" params={{ siteId, tab: 'blocks' }}>
            {texts.blockRules}
          </Link>
        ) : null}
        {rows.some(({ verdict }) => verdict === 'throttled') ? (
          <Link to="/sites/$siteId/$tab" params={{ siteId, tab: 'settings' }}>
            {texts.rateLimit}
          </Link>
        ) : null}
      </div>
    </Callout>
  )
}

/** The segments of a template before its first parameter. */
function prefixOf(template: string): string {
  const segments = template.split('/')
  const parameter = segments.findIndex((segment) => segment.includes('{'))
  const prefix = (parameter === -1 ? segments : segments.slice(0, parameter)).join('/')
  return prefix === '' ? '/' : prefix
}

type Place = Pick<CoverageAttempt, 'part' | 'parameter'>

/** Where the firewall refused. Several rules mostly match one attack, so a window for the rule that is named would open nothing. */
function placesOf(rows: readonly CoverageAttempt[]): readonly Place[] {
  const refused = rows.filter(({ verdict }) => verdict === 'firewall')
  const places = new Map(refused.map(({ part, parameter }) => [`${part} ${parameter}`, { part, parameter }]))
  return [...places.values()].slice(0, PLACES_MAX)
}

const overridesFor = (cell: CellName, places: readonly Place[]): FirewallOverride[] =>
  places.map(({ part, parameter }) => ({
    id: crypto.randomUUID(),
    pathPrefix: prefixOf(cell.template),
    part,
    ...(parameter === '' ? {} : { parameter }),
    mode: 'observe' as const,
    note: texts.coverageOn(cell.class, cell.method, cell.template).slice(0, 500),
    expires: new Date(serverNow() + OPEN_DAYS * DAY_MS).toISOString(),
  }))
