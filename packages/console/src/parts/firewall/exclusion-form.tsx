/** Makes an exclusion, and runs it over the recorded traffic before it is saved. */
import { Button } from '@mantine/core'
import { type FirewallExclusion, firewallExclusion } from '@sallyport/contract'
import { useState } from 'react'
import { useExclusionTrial } from '../../api/queries/firewall-queries.ts'
import { Buttons, FieldRow, Form } from '../../design/form/form.tsx'
import { ExclusionTrial } from './exclusion-trial.tsx'
import { filledScope, NO_NOTE, NoteAndEndInputs, type RuleScope, ScopeInputs } from './scope.tsx'
import { texts } from './texts.ts'
import { useFirewallList } from './use-firewall-list.ts'

const PLACE_FIELDS = ['pathPrefix', 'part', 'parameter'] as const
const SCOPE_FIELDS = ['rule', ...PLACE_FIELDS] as const
const NO_RULES: readonly string[] = []

export function ExclusionForm(props: {
  readonly siteId: string
  /** What the product proposes for a hit; its trial has run already. */
  readonly proposal?: FirewallExclusion
  /** Rules that are excluded as the one of the proposal is, in the same act. */
  readonly furtherRules?: readonly string[]
  readonly onDone: () => void
}) {
  const { siteId, proposal, furtherRules = NO_RULES, onDone } = props
  const exclusions = useFirewallList(siteId, 'exclusions')
  const [id] = useState(() => proposal?.id ?? crypto.randomUUID())
  const [scope, setScope] = useState<RuleScope>(() => scopeOf(proposal))
  const [noteAndEnd, setNoteAndEnd] = useState(NO_NOTE)
  const [tried, setTried] = useState<FirewallExclusion | null>(proposal ?? null)
  const trial = useExclusionTrial(siteId, tried, furtherRules)
  // The rules of a finding are what it is: what is left to choose is where they are excluded.
  const fields = furtherRules.length > 0 ? PLACE_FIELDS : SCOPE_FIELDS
  const parsed = firewallExclusion.safeParse({ id, ...filledScope(scope), ...noteAndEnd })
  const isTried = parsed.success && hasSameTrial(tried, parsed.data) && trial.isSuccess
  const save = () => {
    if (!parsed.success) return
    const further = furtherRules.map((rule) => ({ ...parsed.data, id: crypto.randomUUID(), rule }))
    const done = further.length > 0 ? texts.theExclusionsAreInForce : texts.theExclusionIsInForce
    exclusions.add([parsed.data, ...further], done, onDone)
  }
  const runTrial = () => {
    if (parsed.success) setTried(parsed.data)
  }
  return (
    <Form onSubmit={runTrial}>
      <FieldRow>
        <ScopeInputs fields={fields} value={scope} onChange={setScope} />
      </FieldRow>
      {furtherRules.length > 0 ? (
        <p>
          {texts.oneExclusionForEach(
            <span className="mono">{[scope.rule, ...furtherRules].join(', ')}</span>,
          )}
        </p>
      ) : null}
      <FieldRow>
        <NoteAndEndInputs value={noteAndEnd} onChange={setNoteAndEnd} />
      </FieldRow>
      {parsed.success ? null : <p className="soft">{texts.nameAtLeast}</p>}
      <ExclusionTrial trial={trial} asked={tried !== null} />
      <Buttons>
        <Button type="submit" variant={isTried ? 'default' : 'filled'} disabled={!parsed.success}>
          {texts.tryItOnRecordedTraffic}
        </Button>
        <Button
          disabled={!isTried}
          {...(isTried ? {} : { title: texts.tryItFirst })}
          loading={exclusions.isPending}
          onClick={save}
        >
          {furtherRules.length > 0 ? texts.saveExclusions(furtherRules.length + 1) : texts.saveExclusion}
        </Button>
      </Buttons>
    </Form>
  )
}

const scopeOf = (exclusion: FirewallExclusion | undefined): RuleScope =>
  Object.fromEntries(SCOPE_FIELDS.map((name) => [name, exclusion?.[name] ?? '']))

/** Whether a trial of one is a trial of the other: a note changes nothing of what it found. */
const hasSameTrial = (tried: FirewallExclusion | null, now: FirewallExclusion): boolean =>
  tried !== null &&
  tried.expires === now.expires &&
  SCOPE_FIELDS.every((name) => (tried[name] ?? '') === (now[name] ?? ''))
