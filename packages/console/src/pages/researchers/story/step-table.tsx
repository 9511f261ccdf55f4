/** What happened in one visit, in order, repeats folded: each step leads to its requests. */
import { onlyValue, type Step, type Visit } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useSites } from '../../../api/queries/site-queries.ts'
import { useSteps } from '../../../api/traffic/story-queries.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { isolated } from '../../../design/isolated.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { useFold } from '../../../design/table/fold.tsx'
import { Status, Tag } from '../../../design/table/status.tsx'
import { type Column, PagedTable } from '../../../design/table/table.tsx'
import { useTime } from '../../../design/time/time.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { AttackList } from '../../../parts/attack/attack-list.tsx'
import { shownVerdict } from '../../../parts/coverage/verdict-words.ts'
import { furthestOf } from '../../../parts/researcher/verdict-counts.ts'
import type { TrafficSearch } from '../../../parts/traffic/search.ts'
import classes from './story.module.css'
import { texts } from './texts.ts'
import { lengthWords, visitWords } from './visit-words.ts'

export function StepPanel({ visit }: { readonly visit: Visit }) {
  const time = useTime()
  const steps = useSteps(visit)
  const sites = useSites()
  const siteName = (id: string): string => sites.data?.find((one) => one.id === id)?.gatedName ?? id
  const columns: readonly Column<Step>[] = [
    { head: texts.time, cell: ({ start }) => <time dateTime={start}>{time.second(start)}</time> },
    { head: texts.requests, cell: (step) => <StepLink step={step} hacker={visit.hacker} /> },
    { head: texts.different, secondary: true, cell: variety },
    { head: texts.statuses, cell: (step) => <Statuses step={step} /> },
    { head: texts.attacks, cell: ({ attacks }) => <AttackList attacks={attacks} none="" /> },
    { head: texts.furthestResult, secondary: true, cell: (step) => <Furthest step={step} /> },
    ...(visit.sites.length > 1
      ? [{ head: texts.site, secondary: true, cell: ({ site }: Step) => siteName(site) }]
      : []),
  ]
  return (
    <Panel
      title={texts.visitOf(time.short(visit.start))}
      description={texts.atRequestsTo(
        lengthWords(visit),
        visit.sites.map(({ site }) => isolated(siteName(site))).join(', '),
      )}
      flush
      busy={steps.isPlaceholderData}
    >
      <p className="visually-hidden" role="status">
        {visitWords(visit, time)}
      </p>
      <PagedTable
        query={steps}
        empty={<EmptyState icon="traffic" title={texts.thisVisitIs} />}
        label={texts.stepsOfTheVisit}
        // A step may look like another of the same millisecond.
        rowKey={(step) => String(steps.rows.indexOf(step))}
        columns={columns}
        more={texts.showMore}
      />
    </Panel>
  )
}

function StepLink({ step, hacker }: { readonly step: Step; readonly hacker: string }) {
  const search: TrafficSearch = {
    gte: step.start,
    lte: step.end,
    hacker: [hacker],
    site: [onlyValue(step.site)],
    method: [onlyValue(step.method)],
    // Several routes are one step where nothing was found.
    ...(step.routes === 1 ? { route: [onlyValue(step.route)] } : { status: ['404'] }),
  }
  return (
    <Link to="/traffic" search={search} className={classes.step}>
      {step.requests > 1 ? <span className={classes.times}>×{wholeNumber(step.requests)}</span> : null}
      <Tag>{step.method}</Tag>
      {step.routes > 1 ? (
        <span>{texts.andOthersNotFound(<code>{step.path}</code>)}</span>
      ) : (
        <code>{step.paths === 1 ? step.path : step.route}</code>
      )}
    </Link>
  )
}

/** What differed between the requests of a step. */
function variety({ requests, paths, targets, payloads }: Step) {
  const facts = [
    ...(payloads > 0 ? [texts.payloads(payloads)] : []),
    ...(paths > 1 ? [texts.paths(paths)] : []),
    ...(requests > 1 && targets > paths ? [texts.targets(targets)] : []),
  ]
  return <span className="soft">{facts.join(', ')}</span>
}

const STATUSES_SHOWN = 4

function Statuses({ step }: { readonly step: Step }) {
  const { shown, button } = useFold(step.statuses, STATUSES_SHOWN)
  const words = shown.map(({ status, requests }) => {
    const name = status === 0 ? texts.noAnswer : String(status)
    return step.statuses.length === 1 ? name : `${name} ×${wholeNumber(requests)}`
  })
  return (
    <span className="tabular">
      {words.join(', ')} {button}
    </span>
  )
}

function Furthest({ step }: { readonly step: Step }) {
  const verdict = furthestOf(step.verdicts)
  return verdict ? <Status {...shownVerdict(verdict)} /> : null
}
