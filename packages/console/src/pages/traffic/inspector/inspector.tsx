/**
 * One request in full, beside the table. Everything in it may be hostile: it is shown as text, and only as text. Previous and next
 * follow the table's order, so that a list is read without going back to it.
 */
import { ActionIcon, Button } from '@mantine/core'
import { onlyValue } from '@sallyport/contract'
import { useEffect, useRef } from 'react'
import { useRequest } from '../../../api/traffic/request-queries.ts'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Icon } from '../../../design/icon.tsx'
import { usePageKeys } from '../../../design/keys.ts'
import type { SearchProps } from '../../../parts/traffic/search.ts'
import { GRID_ID } from '../request/grid-id.ts'
import { RequestDetail } from '../request/request-detail.tsx'
import { CopyRequestMenu } from './copy-request-menu.tsx'
import classes from './inspector.module.css'
import { MinuteAround } from './minute-around.tsx'
import { texts } from './texts.ts'
import { useWidth, WidthHandle } from './width-handle.tsx'

/** As in the style sheet. */
const BELOW = '(max-width: 62em)'
export const INSPECTOR_ID = 'inspector'

export function Inspector(props: {
  readonly requestId: string
  /** Where it stands in the table, from 1; 0 where the table does not have it. */
  readonly position: number
  readonly count: number
  readonly onStep: (step: 1 | -1) => void
  readonly onChange: SearchProps['onChange']
}) {
  const { requestId, position, count, onStep, onChange } = props
  const request = useRequest(requestId)
  const [event] = request.data ?? []
  const width = useWidth()
  const close = () => {
    onChange({ request: undefined })
    document.getElementById(GRID_ID)?.focus({ preventScroll: true })
  }
  usePageKeys({ Escape: close })
  const part = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that another one is opened, and once it is there
  useEffect(() => {
    // Below the table nobody would see it open.
    if (matchMedia(BELOW).matches) part.current?.scrollIntoView({ block: 'start' })
  }, [requestId, request.isSuccess])
  return (
    <section
      ref={part}
      id={INSPECTOR_ID}
      className={classes.inspector}
      style={{ width: width.value }}
      aria-label={texts.request}
      tabIndex={-1}
    >
      <WidthHandle width={width} />
      <div className={classes.head}>
        <h2>{texts.request}</h2>
        <span className="soft tabular" role="status">
          {position > 0 ? texts.of(position, count) : texts.notInTheListShown}
        </span>
        <ActionIcon
          aria-label={texts.previousRequest}
          title={texts.previousK}
          disabled={position === 1 || count === 0}
          onClick={() => onStep(-1)}
        >
          <Icon name="up" size={14} />
        </ActionIcon>
        <ActionIcon
          aria-label={texts.nextRequest}
          title={texts.nextJ}
          disabled={position === count || count === 0}
          onClick={() => onStep(1)}
        >
          <Icon name="down" size={14} />
        </ActionIcon>
        <ActionIcon aria-label={texts.close} title={texts.closeEscape} onClick={close}>
          <Icon name="close" size={14} />
        </ActionIcon>
      </div>
      <div className={classes.body}>
        <QueryState query={request} />
        {event ? (
          <div className={classes.acts}>
            <CopyRequestMenu request={event} />
            {event.route ? (
              <Button
                variant="default"
                onClick={() => onChange({ route: [onlyValue(event.route)], site: [onlyValue(event.siteId)] })}
              >
                {texts.allRequestsOfThisRoute}
              </Button>
            ) : null}
          </div>
        ) : null}
        {request.data?.map((one) => (
          <RequestDetail key={one.kind} request={one} />
        ))}
        {event ? <MinuteAround request={event} onChange={onChange} /> : null}
      </div>
    </section>
  )
}
