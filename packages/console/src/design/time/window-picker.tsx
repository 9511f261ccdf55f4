/** Chooses the window of time that a page shows. Presets follow the clock; two instants stay where they are. */
import { Button, Popover } from '@mantine/core'
import { useState } from 'react'
import { DEFAULT_GTE, type TimeWindow } from '../../api/traffic/request-filters.ts'
import { Form } from '../form/form.tsx'
import { LocalTimeField } from '../form/time-field.tsx'
import { Icon } from '../icon.tsx'
import { fromLocalInput, toLocalInput } from './local-time.ts'
import { texts } from './texts.ts'
import { useTime } from './time.tsx'
import classes from './window-picker.module.css'

const PRESETS: Readonly<Record<string, string>> = {
  'now-15m': texts.last15Minutes,
  'now-1h': texts.lastHour,
  'now-6h': texts.last6Hours,
  'now-24h': texts.last24Hours,
  'now-7d': texts.last7Days,
  'now-30d': texts.last30Days,
}

export function WindowPicker(props: {
  readonly value: TimeWindow
  readonly onChange: (window: TimeWindow) => void
}) {
  const time = useTime()
  const [opened, setOpened] = useState(false)
  const choose = (window: TimeWindow) => {
    setOpened(false)
    props.onChange(window)
  }
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={260} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="clock" size={14} />}
          onClick={() => setOpened(!opened)}
        >
          {windowWords(props.value, time.short)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={6}>
        <div className={classes.presets}>
          {Object.entries(PRESETS).map(([gte, label]) => (
            <button
              key={gte}
              type="button"
              className="row-button"
              onClick={() => choose({ gte, lte: undefined })}
            >
              {label}
            </button>
          ))}
        </div>
        <ExactWindow value={props.value} zone={time.zone} onChoose={choose} />
      </Popover.Dropdown>
    </Popover>
  )
}

function ExactWindow(props: {
  readonly value: TimeWindow
  readonly zone: string
  readonly onChoose: (window: TimeWindow) => void
}) {
  const [from, setFrom] = useState(() => localOf(props.value.gte, props.zone))
  const [to, setTo] = useState(() => localOf(props.value.lte, props.zone))
  const apply = () =>
    props.onChoose({
      gte: fromLocalInput(from, props.zone) ?? undefined,
      lte: fromLocalInput(to, props.zone) ?? undefined,
    })
  return (
    <Form className={classes.exact} onSubmit={apply}>
      <LocalTimeField size="xs" label={texts.from} value={from} onText={setFrom} />
      <LocalTimeField size="xs" label={texts.to} value={to} onText={setTo} />
      <Button type="submit" disabled={!from}>
        {texts.showThisWindow}
      </Button>
    </Form>
  )
}

const localOf = (moment: string | undefined, zone: string): string =>
  moment && !moment.startsWith('now') ? toLocalInput(moment, zone) : ''

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A window that follows the clock, as the two moments that it has now; nothing where its start is not written so. */
export function windowOf(window: TimeWindow, now: number): TimeWindow {
  const [, count, unit = ''] = /^now-(\d{1,6})([smhd])$/.exec(window.gte ?? DEFAULT_GTE) ?? []
  const gte = count ? new Date(now - Number(count) * (UNIT_MS[unit] ?? 0)).toISOString() : window.gte
  return { gte, lte: window.lte ?? new Date(now).toISOString() }
}

/** The window in words, for buttons and headings. */
export function windowWords(window: TimeWindow, format: (instant: string) => string): string {
  const gte = window.gte ?? DEFAULT_GTE
  const preset = PRESETS[gte]
  if (!window.lte && preset) return preset
  const side = (moment: string) => (moment.startsWith('now') ? moment : format(moment))
  return texts.gteToTo(side(gte), window.lte ? side(window.lte) : texts.now)
}
