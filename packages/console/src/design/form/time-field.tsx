/** Dates with a time of day, typed as the day has 24 hours, whatever the browser's language would write. */
import { ActionIcon } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import { useTimeZone } from '../../session/time-zone.tsx'
import { Icon } from '../icon.tsx'
import { fromLocalInput, toLocalInput } from '../time/local-time.ts'
import { readTyped, shownTime } from '../time/typed-time.ts'
import { TextField, type TextFieldProps } from './fields.tsx'
import { texts } from './texts.ts'

type TimeFieldProps = Omit<TextFieldProps, 'type' | 'placeholder' | 'error' | 'pattern'>
const DAY_CHARS = 10
/** What is written as it should be, and is no day or no time. */
const SHAPE = /^\s*\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}\s*$/
const faultOf = (typed: string): string => (SHAPE.test(typed) ? texts.thereIsNoSuch : texts.writeItSo)

/**
 * A date and a time of day, as `fromLocalInput` reads them. `onText` is called with a whole one, or with none: what is half typed
 * changes nothing, and keeps the form from being sent; so does a day that there is not.
 */
export function LocalTimeField({ value, onText, ...input }: TimeFieldProps & { readonly value: string }) {
  const [typed, setTyped] = useState(() => shownTime(value))
  const [reported, setReported] = useState(value)
  const [isLeft, setIsLeft] = useState(true)
  const picker = useRef<HTMLInputElement>(null)
  const id = useId()
  // Somebody else has set it meanwhile: an undo, a form that begins anew.
  if (value !== reported) {
    setReported(value)
    setTyped(shownTime(value))
  }
  const isFixed = input.disabled === true || input.readOnly === true
  const read = readTyped(typed)
  const field = useRef<HTMLInputElement>(null)
  // A pattern would let the 31st of November through, and the form would be sent with what stood here before.
  const fault = read === null ? faultOf(typed) : ''
  useEffect(() => field.current?.setCustomValidity(fault), [fault])
  const type = (text: string) => {
    setTyped(text)
    const whole = readTyped(text)
    if (whole === null || whole === value) return
    setReported(whole)
    onText(whole)
  }
  return (
    <TextField
      {...input}
      id={input.id ?? id}
      ref={field}
      placeholder="YYYY-MM-DD HH:MM"
      autoComplete="off"
      spellCheck={false}
      maxLength={16}
      title={texts.aDayAnd}
      value={typed}
      onText={type}
      onFocus={() => setIsLeft(false)}
      onBlur={() => setIsLeft(true)}
      error={fault !== '' && isLeft ? fault : undefined}
      rightSection={
        <>
          <ActionIcon
            aria-label={texts.chooseTheDay}
            disabled={isFixed}
            onClick={() => picker.current?.showPicker()}
          >
            <Icon name="clock" size={14} />
          </ActionIcon>
          <input
            ref={picker}
            type="date"
            className="visually-hidden"
            aria-label={texts.day}
            tabIndex={-1}
            max="9999-12-31"
            disabled={isFixed}
            value={read?.slice(0, DAY_CHARS) ?? ''}
            onChange={(event) => {
              const day = event.currentTarget.value
              if (day) type(`${day} ${typed.slice(DAY_CHARS + 1) || '00:00'}`)
            }}
          />
        </>
      }
    />
  )
}

/** An instant, shown and typed as the viewer's time zone has it; null is none. */
export function InstantField({
  value,
  onInstant,
  ...input
}: Omit<TimeFieldProps, 'value' | 'onText'> & {
  /** ISO 8601. */
  readonly value: string | null | undefined
  readonly onInstant: (instant: string | null) => void
}) {
  const { zone } = useTimeZone()
  return (
    <LocalTimeField
      {...input}
      value={toLocalInput(value, zone)}
      onText={(text) => onInstant(fromLocalInput(text, zone))}
    />
  )
}
