import type { FirewallMode, FirewallOverride } from '@sallyport/contract'
import { useState } from 'react'
import { DialogButton } from '../../../design/dialog/dialog-button.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Choice } from '../../../design/form/fields.tsx'
import { Form, FormEnd } from '../../../design/form/form.tsx'
import type { Column } from '../../../design/table/table.tsx'
import { FirewallList, scopeColumn } from '../../../parts/firewall/firewall-list.tsx'
import { MODE_CHOICES, MODE_WORDS } from '../../../parts/firewall/mode-words.ts'
import {
  filledScope,
  NO_NOTE,
  NoteAndEndInputs,
  type RuleScope,
  ScopeInputs,
} from '../../../parts/firewall/scope.tsx'
import { useFirewallList } from '../../../parts/firewall/use-firewall-list.ts'
import { texts } from './texts.ts'

const SCOPE_FIELDS = ['rule', 'pathPrefix', 'parameter'] as const
const COLUMNS: readonly Column<FirewallOverride>[] = [
  ...SCOPE_FIELDS.map((field) => scopeColumn<FirewallOverride>(field, (words) => words)),
  { head: texts.mode, cell: (one) => MODE_WORDS[one.mode].label },
]

/** Overrides: another mode for one rule, path or parameter. */
export function OverrideList(props: {
  readonly siteId: string
  readonly overrides: readonly FirewallOverride[]
}) {
  return (
    <FirewallList
      siteId={props.siteId}
      list="overrides"
      noun={texts.override}
      title={texts.overrides}
      description={texts.overridesHint}
      entries={props.overrides}
      columns={COLUMNS}
      empty={<EmptyState icon="firewall" title={texts.noOverrides} />}
      addition={
        <DialogButton label={texts.addAnOverride} variant="default" title={texts.addAnOverride}>
          {(close) => <OverrideForm siteId={props.siteId} onDone={close} />}
        </DialogButton>
      }
    />
  )
}

function OverrideForm({ siteId, onDone }: { readonly siteId: string; readonly onDone: () => void }) {
  const overrides = useFirewallList(siteId, 'overrides')
  const [scope, setScope] = useState<RuleScope>({})
  const [mode, setMode] = useState<FirewallMode>('off')
  const [noteAndEnd, setNoteAndEnd] = useState(NO_NOTE)
  const covered = filledScope(scope)
  const add = () => {
    const override = { id: crypto.randomUUID(), mode, ...covered, ...noteAndEnd }
    overrides.add([override], texts.theOverrideIsAdded, onDone)
  }
  return (
    <Form onSubmit={add}>
      <ScopeInputs fields={SCOPE_FIELDS} value={scope} onChange={setScope} />
      <Choice label={texts.mode} value={mode} onChange={setMode} choices={MODE_CHOICES} />
      <NoteAndEndInputs value={noteAndEnd} onChange={setNoteAndEnd} />
      <FormEnd
        action={texts.add}
        isPending={overrides.isPending}
        notYet={Object.keys(covered).length === 0 && texts.nameAtLeastOne}
      />
    </Form>
  )
}
