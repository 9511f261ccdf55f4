/** Chooses the window of time that a page shows. Presets follow the clock; two instants stay where they are. */
import { Button, Popover } from '@mantine/core'
import { useState } from 'react'
import { DEFAULT_GTE, type TimeWindow } from '../../api/traffic/request-filters.ts'
import { Icon } from '../icon.tsx'
import { fromLocalInput, LOCAL_TIME_MAX, toLocalInput } from './local-time.ts'
import { useTime } from './time.tsx'
import classes from './window-picker.module.css'

const PRESETS = [
  { gte: 'now-15m', label: 'Last 15 minutes' },
  { gte: 'now-1h', label: 'Last hour' },
  { gte: 'now-6h', label: 'Last 6 hours' },
  { gte: 'now-24h', label: 'Last 24 hours' },
  { gte: 'now-7d', label: 'Last 7 days' },
  { gte: 'now-30d', label: 'Last 30 days' },
] as const

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
          {PRESETS.map((preset) => (
            <button
              key={preset.gte}
              type="button"
              onClick={() => choose({ gte: preset.gte, lte: undefined })}
            >
              {preset.label}
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
    <div className={classes.exact}>
      <label>
        From
        <input
          type="datetime-local"
          max={LOCAL_TIME_MAX}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
      </label>
      <label>
        To
        <input
          type="datetime-local"
          max={LOCAL_TIME_MAX}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <Button disabled={!from} onClick={apply}>
        Show this window
      </Button>
    </div>
  )
}

const localOf = (moment: string | undefined, zone: string): string =>
  moment && !moment.startsWith('now') ? toLocalInput(moment, zone) : ''

/** The window in words, for buttons and headings. */
export function windowWords(window: TimeWindow, format: (instant: string) => string): string {
  const gte = window.gte ?? DEFAULT_GTE
  if (!window.lte) {
    const preset = PRESETS.find((one) => one.gte === gte)
    if (preset) return preset.label
  }
  const side = (moment: string) => (moment.startsWith('now') ? moment : format(moment))
  return `${side(gte)} to ${window.lte ? side(window.lte) : 'now'}`
}
