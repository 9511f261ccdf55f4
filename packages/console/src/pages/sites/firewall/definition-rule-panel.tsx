/** The API definition of a site as a rule: its mode, what it judges by, and which recorded requests it does not list. */
import { Checkbox } from '@mantine/core'
import type { DefinitionRule, DefinitionRuleState, FirewallMode, FirewallSettings } from '@sallyport/contract'
import { revertField } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useDefinitionRule, useFirewallChange } from '../../../api/queries/firewall-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Segments } from '../../../design/form/fields.tsx'
import { isolated } from '../../../design/isolated.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { Tag } from '../../../design/table/status.tsx'
import { type Column, Table } from '../../../design/table/table.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { DEFINITION_WORDS, MODE_CHOICES } from '../../../parts/firewall/mode-words.ts'
import { texts } from './texts.ts'

const NO_RULE: DefinitionRule = { mode: 'off', undeclaredParameters: false }

export function DefinitionRulePanel(props: { readonly siteId: string; readonly settings: FirewallSettings }) {
  const { siteId, settings } = props
  const rule = settings.definition ?? NO_RULE
  const mayWrite = usePermission('firewall:write')
  const mayRead = usePermission('traffic:read')
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const set = (wanted: DefinitionRule, notice: string) =>
    notices.whenDone(
      change.mutateAsync((now) => ({ ...now, definition: wanted })),
      notice,
      (made) => change.mutateAsync(revertField(made, 'definition')),
    )
  const disabled = !mayWrite
  return (
    <Panel
      title={texts.apiDefinition}
      actions={
        <Segments<FirewallMode>
          label={texts.apiDefinitionAsARule}
          choices={MODE_CHOICES}
          value={rule.mode}
          disabled={disabled}
          onChange={(mode) =>
            set({ ...rule, mode }, texts.theApiDefinitionAsARuleIsSet(DEFINITION_WORDS[mode].label))
          }
        />
      }
    >
      <p>{DEFINITION_WORDS[rule.mode].effect}</p>
      {rule.mode === 'off' ? null : (
        <Checkbox
          label={texts.refuseUndeclaredQueryParametersToo}
          checked={rule.undeclaredParameters}
          disabled={disabled}
          onChange={(event) =>
            set({ ...rule, undeclaredParameters: event.currentTarget.checked }, texts.theApiDefinition)
          }
        />
      )}
      {mayRead ? <RuleState siteId={siteId} /> : null}
    </Panel>
  )
}

function RuleState({ siteId }: { readonly siteId: string }) {
  const state = useDefinitionRule(siteId)
  if (!state.data) return <QueryState query={state} />
  const { mode, fault, operations, leftOut, preview } = state.data
  if (fault !== '') return <p className="soft">{fault}</p>
  const left = leftOut.length === 0 ? '' : texts.notJudgedBy(leftOut.join(', '))
  return (
    <>
      <p className="soft">{texts.itWouldJudgeJudges(mode === 'off', operations, left)}</p>
      <p>
        {preview.unlisted === 0
          ? texts.ofThatReached(preview.requests)
          : texts.ofThatReachedTheOrigin(preview.requests, preview.unlisted)}
      </p>
      {preview.operations.length > 0 ? (
        <Table
          label={texts.requestsThatAreNotListed}
          columns={COLUMNS}
          rows={preview.operations}
          rowKey={({ method, path }) => `${method} ${path}`}
        />
      ) : null}
    </>
  )
}

const COLUMNS: readonly Column<DefinitionRuleState['preview']['operations'][number]>[] = [
  {
    head: texts.notListed,
    cell: ({ method, path }) => (
      <>
        <Tag>{isolated(method)}</Tag> <code>{isolated(path)}</code>
      </>
    ),
  },
  { head: texts.requests, align: 'end', cell: ({ requests }) => wholeNumber(requests) },
]
