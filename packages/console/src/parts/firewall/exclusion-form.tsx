/** Makes an exclusion, and runs it over the recorded traffic before it is saved. */
import { Button } from '@mantine/core'
import { type FirewallExclusion, firewallExclusion } from '@sallyport/contract'
import { type FormEvent, useState } from 'react'
import { useExclusionTrial } from '../../api/queries/firewall-queries.ts'
import form from '../../design/form/form.module.css'
import { fromLocalInput } from '../../design/time/local-time.ts'
import { useTime } from '../../design/time/time.tsx'
import { ExclusionTrial } from './exclusion-trial.tsx'
import { type NoteAndEnd, NoteAndEndInputs } from './note-and-end.tsx'
import { filledScope, type RuleScope, ScopeInputs } from './scope.tsx'
import { useFirewallList } from './use-firewall-list.ts'

const SCOPE_FIELDS = ['rule', 'pathPrefix', 'part', 'parameter'] as const

export function ExclusionForm(props: {
  readonly siteId: string
  /** What the product proposes for a hit; its trial has run already. */
  readonly proposal?: FirewallExclusion
  readonly onDone: () => void
}) {
  const { siteId, proposal, onDone } = props
  const exclusions = useFirewallList(siteId, 'exclusions')
  const { zone } = useTime()
  const [id] = useState(() => proposal?.id ?? crypto.randomUUID())
  const [scope, setScope] = useState<RuleScope>(() => scopeOf(proposal))
  const [{ note, until }, setNoteAndEnd] = useState<NoteAndEnd>({ note: '', until: '' })
  const [tried, setTried] = useState<FirewallExclusion | null>(proposal ?? null)
  const trial = useExclusionTrial(siteId, tried)
  const expires = until ? { expires: fromLocalInput(until, zone) } : {}
  const parsed = firewallExclusion.safeParse({ id, ...filledScope(scope), note, ...expires })
  const isTried = parsed.success && hasSameTrial(tried, parsed.data) && trial.isSuccess
  const save = () => {
    if (parsed.success) exclusions.add(parsed.data, 'The exclusion is in force.', onDone)
  }
  const runTrial = (event: FormEvent) => {
    event.preventDefault()
    if (parsed.success) setTried(parsed.data)
  }
  return (
    <form className={form.form} onSubmit={runTrial}>
      <div className={form.pair}>
        <ScopeInputs fields={SCOPE_FIELDS} value={scope} onChange={setScope} />
      </div>
      <div className={form.pair}>
        <NoteAndEndInputs value={{ note, until }} onChange={setNoteAndEnd} />
      </div>
      {parsed.success ? null : (
        <p className="soft">Name at least a rule, a path that begins with / or a parameter.</p>
      )}
      <ExclusionTrial trial={trial} asked={tried !== null} />
      <div className={form.buttons}>
        <Button type="submit" variant={isTried ? 'default' : 'filled'} disabled={!parsed.success}>
          Try it on recorded traffic
        </Button>
        <Button disabled={!isTried} loading={exclusions.isPending} onClick={save}>
          Save exclusion
        </Button>
      </div>
    </form>
  )
}

const scopeOf = (exclusion: FirewallExclusion | undefined): RuleScope =>
  Object.fromEntries(SCOPE_FIELDS.map((name) => [name, exclusion?.[name] ?? '']))

/** Whether a trial of one is a trial of the other: a note changes nothing of what it found. */
const hasSameTrial = (tried: FirewallExclusion | null, now: FirewallExclusion): boolean =>
  tried !== null &&
  tried.expires === now.expires &&
  SCOPE_FIELDS.every((name) => (tried[name] ?? '') === (now[name] ?? ''))
