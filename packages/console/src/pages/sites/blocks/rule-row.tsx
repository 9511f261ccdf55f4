import { ActionIcon, NumberInput, Switch, TextInput } from '@mantine/core'
import type { BlockRule } from '@sallyport/contract'
import { useState } from 'react'
import { TextField } from '../../../design/form/fields.tsx'
import { InstantField } from '../../../design/form/time-field.tsx'
import { Icon } from '../../../design/icon.tsx'
import classes from './blocks.module.css'
import { texts } from './texts.ts'

/** On a wide window the head of the columns names the fields. */
const FIELD = { label: 'visually-hidden-if-wide' }
const PATH = { ...FIELD, input: 'mono' }

/** The fields of one block rule. */
export function RuleRow(props: {
  readonly rule: BlockRule
  readonly number: number
  readonly problem: string | undefined
  readonly readOnly: boolean
  readonly onEdit: (part: Partial<BlockRule>) => void
  readonly onRemove: () => void
}) {
  const { rule, number, onEdit, readOnly } = props
  return (
    <fieldset className={classes.ruleFrame} disabled={readOnly}>
      <legend className="visually-hidden">{texts.rule(number)}</legend>
      <div className={classes.rule}>
        <Switch
          label={texts.inForce}
          classNames={FIELD}
          checked={rule.enabled}
          onChange={(event) => onEdit({ enabled: event.currentTarget.checked })}
        />
        <TextField
          label={texts.path}
          name="path"
          classNames={PATH}
          value={rule.pathPrefix}
          error={props.problem}
          onText={(text) => onEdit({ pathPrefix: text })}
        />
        <MethodsInput methods={rule.methods} onChange={(methods) => onEdit({ methods })} />
        <NumberInput
          label={texts.status}
          classNames={FIELD}
          min={400}
          max={599}
          hideControls
          value={rule.status}
          onChange={(value) => onEdit({ status: Number(value) })}
        />
        <TextField
          label={texts.note}
          classNames={FIELD}
          value={rule.note ?? ''}
          onText={(text) => onEdit({ note: text })}
        />
        <InstantField
          label={texts.until}
          classNames={FIELD}
          value={rule.expires}
          onInstant={(expires) => onEdit({ expires: expires ?? undefined })}
        />
        <ActionIcon aria-label={texts.removeRule(number)} onClick={props.onRemove}>
          <Icon name="trash" />
        </ActionIcon>
      </div>
    </fieldset>
  )
}

/** Shows the text as it was typed, and reports the methods in it at every key. */
function MethodsInput(props: {
  readonly methods: readonly string[]
  readonly onChange: (methods: string[]) => void
}) {
  const [typed, setTyped] = useState('')
  const text = props.methods.join(' ')
  return (
    <TextInput
      label={texts.methods}
      classNames={FIELD}
      placeholder={texts.all}
      value={methodsOf(typed).join(' ') === text ? typed : text}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        props.onChange(methodsOf(event.currentTarget.value))
      }}
    />
  )
}

const methodsOf = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  ),
]
