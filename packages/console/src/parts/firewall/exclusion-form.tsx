/** Makes an exclusion, and runs it over the recorded traffic before it is saved. */
import { Button, TextInput } from '@mantine/core'
import { type FirewallExclusion, firewallExclusion } from '@sallyport/contract'
import { type FormEvent, useState } from 'react'
import {
  useExclusionTrial,
  useFirewallChange,
  withoutListChange,
} from '../../api/queries/firewall-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import form from '../../design/form/form.module.css'
import { LocalTimeInput } from '../../design/form/local-time-input.tsx'
import { fromLocalInput } from '../../design/time/local-time.ts'
import { useTime } from '../../design/time/time.tsx'
import { ExclusionTrial } from './exclusion-trial.tsx'

type ExclusionParts = Partial<Pick<FirewallExclusion, 'rule' | 'pathPrefix' | 'part' | 'parameter'>>
const FIELDS = [
  { name: 'rule', label: 'Rule', description: 'Empty: every rule' },
  { name: 'pathPrefix', label: 'Path', description: 'Empty: everywhere' },
  {
    name: 'part',
    label: 'Part of the request',
    description: 'query, path, body, header, cookie, …; empty: any',
  },
  { name: 'parameter', label: 'Parameter', description: 'Empty: any' },
] as const

export function ExclusionForm(props: {
  readonly siteId: string
  /** What the product proposes for a hit; it was tried already. */
  readonly proposal?: FirewallExclusion
  readonly onDone: () => void
}) {
  const notices = useNotices()
  const { zone } = useTime()
  const change = useFirewallChange(props.siteId)
  const [id] = useState(() => props.proposal?.id ?? crypto.randomUUID())
  const [parts, setParts] = useState<ExclusionParts>(() => partsOf(props.proposal))
  const [note, setNote] = useState('')
  const [until, setUntil] = useState('')
  const [tried, setTried] = useState<FirewallExclusion | null>(props.proposal ?? null)
  const trial = useExclusionTrial(props.siteId, tried)
  const parsed = firewallExclusion.safeParse({
    id,
    ...filled(parts),
    note,
    ...(until ? { expires: fromLocalInput(until, zone) } : {}),
  })
  const isTried = parsed.success && isSame(tried, parsed.data) && trial.isSuccess
  const save = () => {
    if (!parsed.success) return
    change.mutate((now) => ({ ...now, exclusions: [...now.exclusions, parsed.data] }), {
      onSuccess: (made) => {
        props.onDone()
        notices.done('The exclusion is in force.', () => change.mutateAsync(withoutListChange(made)))
      },
      onError: (error) => notices.failed(error),
    })
  }
  const tryIt = (event: FormEvent) => {
    event.preventDefault()
    if (parsed.success) setTried(parsed.data)
  }
  return (
    <form className={form.form} onSubmit={tryIt}>
      <div className={form.pair}>
        {FIELDS.map((field) => (
          <TextInput
            key={field.name}
            label={field.label}
            description={field.description}
            value={parts[field.name] ?? ''}
            onChange={(event) => setParts({ ...parts, [field.name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <div className={form.pair}>
        <TextInput label="Note" value={note} onChange={(event) => setNote(event.currentTarget.value)} />
        <LocalTimeInput
          label="Until"
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      </div>
      {parsed.success ? null : (
        <p className="soft">Name at least a rule, a path that begins with / or a parameter.</p>
      )}
      <ExclusionTrial trial={trial} asked={tried !== null} />
      <div className={form.buttons}>
        <Button type="submit" variant={isTried ? 'default' : 'filled'} disabled={!parsed.success}>
          Try it on recorded traffic
        </Button>
        <Button disabled={!isTried} loading={change.isPending} onClick={save}>
          Save exclusion
        </Button>
      </div>
    </form>
  )
}

const filled = (parts: ExclusionParts): ExclusionParts =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''))

const partsOf = (exclusion: FirewallExclusion | undefined): ExclusionParts =>
  Object.fromEntries(FIELDS.map(({ name }) => [name, exclusion?.[name] ?? '']))

/** A note changes nothing of what a trial found. */
const isSame = (tried: FirewallExclusion | null, now: FirewallExclusion): boolean =>
  tried !== null &&
  tried.expires === now.expires &&
  FIELDS.every(({ name }) => (tried[name] ?? '') === (now[name] ?? ''))
