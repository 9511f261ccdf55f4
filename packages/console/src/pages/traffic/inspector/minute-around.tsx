import { Button } from '@mantine/core'
import { onlyValue } from '@sallyport/contract'
import type { LoggedRequest, RequestFilters } from '../../../api/traffic/request-filters.ts'
import { useNewestMatched } from '../../../api/traffic/request-queries.ts'
import { QueryState } from '../../../design/feedback/states.tsx'
import type { SearchProps } from '../../../parts/traffic/search.ts'
import { NO_FILTERS } from '../filters.ts'
import classes from './inspector.module.css'
import { texts } from './texts.ts'

const AROUND_MS = 30_000
const SHOWN_MAX = 100

/** What the same researcher did half a minute before and after; of a stranger, what came from the same address. */
export function MinuteAround(props: { readonly request: LoggedRequest } & Pick<SearchProps, 'onChange'>) {
  const { request, onChange } = props
  const filters = minuteOf(request)
  const around = useNewestMatched(filters, SHOWN_MAX)
  const at = Date.parse(request.time)
  const isMore = around.data?.length === SHOWN_MAX
  return (
    <div className={classes.around}>
      <div className={classes.aroundHead}>
        <h3>{texts.theMinuteAroundThisRequest}</h3>
        <Button
          variant="default"
          onClick={() =>
            onChange({ ...NO_FILTERS, ...filters, live: undefined, group: undefined, request: request.id })
          }
        >
          {texts.showInTheTable}
        </Button>
      </div>
      <QueryState query={around} />
      {around.data ? (
        <ol className={classes.aroundList}>
          {around.data.toReversed().map((one) => (
            <li key={`${one.id} ${one.kind}`}>
              <button
                type="button"
                className="row-button"
                aria-current={one.id === request.id}
                onClick={() => onChange({ request: one.id })}
              >
                <span className="tabular soft">{offsetWords(Date.parse(one.time) - at)}</span>
                <span className="clip">{one.method}</span>
                <span className="clip mono">{one.target}</span>
                <span className="tabular" data-status={Math.floor(one.status / 100)}>
                  {one.status || '–'}
                </span>
              </button>
            </li>
          ))}
        </ol>
      ) : null}
      {isMore ? <p className="soft">{texts.theNewestOfThem(SHOWN_MAX)}</p> : null}
    </div>
  )
}

function minuteOf({ time, researcherId, clientAddress }: LoggedRequest): RequestFilters {
  const at = Date.parse(time)
  return {
    gte: new Date(at - AROUND_MS).toISOString(),
    lte: new Date(at + AROUND_MS).toISOString(),
    hacker: [onlyValue(researcherId)],
    ...(researcherId === '' && clientAddress !== '' && { address: [onlyValue(clientAddress)] }),
  }
}

/** "+1.2 s", "−0.3 s"; the request itself is at 0. */
function offsetWords(offsetMs: number): string {
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1)
  return offsetMs === 0 ? '0 s' : `${offsetMs > 0 ? '+' : '−'}${seconds} s`
}
