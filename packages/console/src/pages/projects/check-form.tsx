/** The form of one check. What is refused is said at its field. What was not edited here is saved as it is by then. */
import { Checkbox, Textarea } from '@mantine/core'
import {
  ATTACK_CLASS_NAMES,
  attackWords,
  CHECK_STATE_NAMES,
  type Check,
  type ProjectCheck,
  STATES_WITH_REASON,
} from '@sallyport/contract'
import { useState } from 'react'
import { previousValues } from '../../api/concurrent-edits.ts'
import { fieldFaults } from '../../api/error-words.ts'
import { useCheckChange } from '../../api/queries/project-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { Choice, TextField } from '../../design/form/fields.tsx'
import { FieldRow, Form, FormEnd } from '../../design/form/form.tsx'
import { STATE_WORDS } from './check-words.ts'
import classes from './projects.module.css'
import { texts } from './texts.ts'
import { TiesField } from './ties-field.tsx'

const STATE_CHOICES = CHECK_STATE_NAMES.map((state) => ({ value: state, label: STATE_WORDS[state].words }))
const FIELDS = ['state', 'dueDate', 'note', 'attackClasses', 'ties'] as const
const LAST_DAY = '9999-12-31'

export function CheckForm({ check, onDone }: { readonly check: ProjectCheck; readonly onDone: () => void }) {
  const notices = useNotices()
  const change = useCheckChange(check.id)
  const [edits, setEdits] = useState<Partial<Check>>({})
  const values: Check = { ...checkOf(check), ...edits }
  const set = (part: Partial<Check>) => setEdits({ ...edits, ...part })
  const faults = fieldFaults(change.error)
  const isSaidAtFields = FIELDS.some((field) => faults.has(field))
  const save = () =>
    change.mutate(edits, {
      onSuccess: (before) => {
        onDone()
        notices.done(texts.theCheckIsSaved, () => change.mutateAsync(previousValues<Check>(before, edits)))
      },
    })
  return (
    <Form onSubmit={save}>
      <FieldRow>
        <Choice
          label={texts.state}
          data-autofocus
          choices={STATE_CHOICES}
          value={values.state}
          onChange={(state) => set({ state })}
          error={faults.get('state')}
        />
        <TextField
          label={texts.due}
          type="date"
          max={LAST_DAY}
          value={values.dueDate ?? ''}
          onText={(day) => set({ dueDate: day || null })}
          error={faults.get('dueDate')}
        />
      </FieldRow>
      <Textarea
        label={texts.note}
        description={STATES_WITH_REASON.includes(values.state) ? texts.noteHint : undefined}
        required={STATES_WITH_REASON.includes(values.state)}
        autosize
        minRows={2}
        value={values.note}
        onChange={(event) => set({ note: event.currentTarget.value })}
        error={faults.get('note')}
      />
      <TiesField
        ties={values.ties}
        known={check.ties}
        error={faults.get('ties')}
        onTies={(ties) => set({ ties })}
      />
      <fieldset className={classes.classes}>
        <legend>{texts.classesOfAttackNone}</legend>
        {ATTACK_CLASS_NAMES.map((name) => (
          <Checkbox
            key={name}
            label={attackWords(name)}
            checked={values.attackClasses.includes(name)}
            onChange={(event) =>
              set({
                attackClasses: ATTACK_CLASS_NAMES.filter((one) =>
                  one === name ? event.currentTarget.checked : values.attackClasses.includes(one),
                ),
              })
            }
          />
        ))}
      </fieldset>
      <FormEnd
        action={texts.save}
        isPending={change.isPending}
        error={isSaidAtFields ? undefined : change.error}
        isUnchanged={Object.keys(edits).length === 0}
      />
    </Form>
  )
}

const checkOf = ({ state, dueDate, note, attackClasses, ties }: ProjectCheck): Check => ({
  ...{ state, dueDate, note, attackClasses },
  ties: ties.map(({ siteId, method, template }) => ({
    siteId,
    ...(method !== undefined && { method }),
    ...(template !== undefined && { template }),
  })),
})
