/** Overrides: another mode for one rule, path or parameter. */
import { ActionIcon, Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { FIREWALL_MODES, type FirewallMode, type FirewallOverride } from '@sallyport/contract'
import { type FormEvent, useState } from 'react'
import { useMay } from '../../../api/queries/account-queries.ts'
import { useFirewallChange, withoutListChange } from '../../../api/queries/firewall-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import form from '../../../design/form/form.module.css'
import { LocalTimeInput } from '../../../design/form/local-time-input.tsx'
import { Icon } from '../../../design/icon.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { type Column, Table } from '../../../design/table/table.tsx'
import { fromLocalInput } from '../../../design/time/local-time.ts'
import { RelativeTime, useTime } from '../../../design/time/time.tsx'
import { MODE_WORDS } from '../../../parts/firewall/mode-words.ts'

export function OverrideList(props: {
  readonly siteId: string
  readonly overrides: readonly FirewallOverride[]
}) {
  const may = useMay('firewall:write')
  const notices = useNotices()
  const change = useFirewallChange(props.siteId)
  const [adding, setAdding] = useState(false)
  const remove = ({ id }: FirewallOverride) =>
    notices.whenDone(
      change.mutateAsync((now) => ({ ...now, overrides: now.overrides.filter((one) => one.id !== id) })),
      'The override is removed.',
      (made) => change.mutateAsync(withoutListChange(made)),
    )
  const columns: readonly Column<FirewallOverride>[] = [
    { head: 'Rule', cell: (one) => (one.rule ? <span className="mono">{one.rule}</span> : 'every rule') },
    {
      head: 'Path',
      cell: (one) => (one.pathPrefix ? <span className="mono">{one.pathPrefix}</span> : 'everywhere'),
    },
    {
      head: 'Parameter',
      cell: (one) => (one.parameter ? <span className="mono">{one.parameter}</span> : 'any'),
    },
    { head: 'Mode', cell: (one) => MODE_WORDS[one.mode].label },
    { head: 'Note', secondary: true, cell: (one) => one.note },
    {
      head: 'Until',
      secondary: true,
      cell: (one) =>
        one.expires ? <RelativeTime instant={one.expires} /> : <span className="soft">removed</span>,
    },
    {
      head: 'Remove',
      align: 'end',
      cell: (one) =>
        may ? (
          <ActionIcon aria-label="Remove this override" onClick={() => remove(one)}>
            <Icon name="trash" />
          </ActionIcon>
        ) : null,
    },
  ]
  return (
    <Panel
      title="Overrides"
      description="Another mode for a rule, path or parameter; the first that covers a match decides."
      flush
      actions={
        may ? (
          <Button variant="default" onClick={() => setAdding(true)}>
            Add an override
          </Button>
        ) : null
      }
    >
      {props.overrides.length === 0 ? (
        <EmptyState icon="firewall" title="The mode above holds everywhere" />
      ) : (
        <Table label="Overrides" columns={columns} rows={props.overrides} rowKey={(one) => one.id} />
      )}
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add an override">
        <OverrideForm siteId={props.siteId} onDone={() => setAdding(false)} />
      </Modal>
    </Panel>
  )
}

function OverrideForm({ siteId, onDone }: { readonly siteId: string; readonly onDone: () => void }) {
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const [rule, setRule] = useState('')
  const [pathPrefix, setPathPrefix] = useState('')
  const [mode, setMode] = useState<FirewallMode>('off')
  const [parameter, setParameter] = useState('')
  const [note, setNote] = useState('')
  const [until, setUntil] = useState('')
  const { zone } = useTime()
  const add = (event: FormEvent) => {
    event.preventDefault()
    const expires = until ? fromLocalInput(until, zone) : null
    const override = {
      id: crypto.randomUUID(),
      mode,
      note,
      ...(rule ? { rule } : {}),
      ...(pathPrefix ? { pathPrefix } : {}),
      ...(parameter ? { parameter } : {}),
      ...(expires ? { expires } : {}),
    }
    change.mutate((now) => ({ ...now, overrides: [...now.overrides, override] }), {
      onSuccess: (made) => {
        onDone()
        notices.done('The override is added.', () => change.mutateAsync(withoutListChange(made)))
      },
      onError: (error) => notices.failed(error),
    })
  }
  return (
    <form className={form.form} onSubmit={add}>
      <TextInput
        label="Rule"
        description="Empty: every rule"
        value={rule}
        onChange={(event) => setRule(event.currentTarget.value)}
      />
      <TextInput
        label="Path"
        description="Empty: everywhere"
        value={pathPrefix}
        onChange={(event) => setPathPrefix(event.currentTarget.value)}
      />
      <TextInput
        label="Parameter"
        description="Empty: any"
        value={parameter}
        onChange={(event) => setParameter(event.currentTarget.value)}
      />
      <NativeSelect
        label="Mode"
        value={mode}
        onChange={(event) => setMode(event.currentTarget.value as FirewallMode)}
        data={FIREWALL_MODES.map((one) => ({ value: one, label: MODE_WORDS[one].label }))}
      />
      <TextInput label="Note" value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      <LocalTimeInput label="Until" value={until} onChange={(event) => setUntil(event.currentTarget.value)} />
      <div className={form.buttons}>
        <Button type="submit" loading={change.isPending} disabled={!rule && !pathPrefix && !parameter}>
          Add
        </Button>
      </div>
    </form>
  )
}
