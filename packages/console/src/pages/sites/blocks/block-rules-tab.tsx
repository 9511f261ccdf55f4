/** The block rules of a site: edited here, in force at the gate within a second of being saved. */
import { ActionIcon, Button, NumberInput, Switch, TextInput } from '@mantine/core'
import { type BlockRule, blockRules, type Site, storedBlockRules } from '@sallyport/contract'
import { useMemo, useState } from 'react'
import { mergeLists, readModifyWrite } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useSiteChange } from '../../../api/queries/site-queries.ts'
import { AskBeforeLeaving } from '../../../design/feedback/ask-before-leaving.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { LocalTimeInput } from '../../../design/form/local-time-input.tsx'
import { Icon } from '../../../design/icon.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { fromLocalInput, toLocalInput } from '../../../design/time/local-time.ts'
import { useTime } from '../../../design/time/time.tsx'
import classes from '../sites.module.css'
import { BlockRuleTester } from './block-rule-tester.tsx'

/** The rules that an edit began with, and what it made of them; others may have changed the list meanwhile. */
interface RuleEdits {
  readonly before: readonly BlockRule[]
  readonly after: readonly BlockRule[]
}

export function BlockRulesTab({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const saved = useMemo(() => readRules(site.blockList), [site.blockList])
  const [edits, setEdits] = useState<RuleEdits>({ before: [], after: [] })
  const rules = useMemo(() => mergeLists(edits.before, edits.after, saved), [edits, saved])
  const problems = useMemo(() => problemsOf(rules), [rules])
  const setRules = (after: readonly BlockRule[]) => setEdits({ before: saved, after })
  const change = useSiteChange((api, { before, after }: RuleEdits) =>
    readModifyWrite(
      () => api.callVersioned('sitesGet', { params: { id: site.id } }),
      (now, options) => {
        const blockList = JSON.stringify(mergeLists(before, after, readRules(now.blockList)))
        return api.call('sitesSetBlockList', { body: { id: site.id, blockList } }, options)
      },
    ),
  )
  const save = () => {
    const { before, after } = { before: saved, after: rules }
    change.mutate(
      { before, after },
      {
        onSuccess: () => {
          // What was edited while it was saved is still to be saved.
          setEdits((now) => ({ before: after, after: now === edits ? after : now.after }))
          notices.done('Block rules saved.', () => change.mutateAsync({ before: after, after: before }))
        },
        onError: (error) => notices.failed(error),
      },
    )
  }
  const edit = (id: string, part: Partial<BlockRule>) =>
    setRules(rules.map((rule) => (rule.id === id ? { ...rule, ...part } : rule)))
  const changed = JSON.stringify(rules) !== JSON.stringify(saved)
  return (
    <>
      <AskBeforeLeaving what="The block rules" isUnsaved={changed} />
      <Panel
        title="Paths that researchers may not touch"
        description="A rule covers its path and everything below it, however the request spells it: encoded, doubled, with dots or in another case."
        actions={
          may ? (
            <>
              <Button
                variant="default"
                leftSection={<Icon name="plus" size={14} />}
                onClick={() => setRules([...rules, newRule()])}
              >
                Add a rule
              </Button>
              <Button disabled={!changed || problems.size > 0} loading={change.isPending} onClick={save}>
                Save
              </Button>
            </>
          ) : null
        }
      >
        {rules.length === 0 ? (
          <EmptyState icon="firewall" title="Nothing is blocked">
            Every path of the site is in scope. Add a rule for what must not be touched.
          </EmptyState>
        ) : (
          <div className={classes.rules}>
            <div className={`${classes.rule} ${classes.ruleHead}`} aria-hidden="true">
              <span>On</span>
              <span>Path</span>
              <span>Methods (empty: all)</span>
              <span>Status</span>
              <span>Note</span>
              <span>Until</span>
            </div>
            {rules.map((rule, index) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                number={index + 1}
                problem={problems.get(index)}
                readOnly={!may}
                onEdit={(part) => edit(rule.id, part)}
                onRemove={() => setRules(rules.filter((one) => one.id !== rule.id))}
              />
            ))}
          </div>
        )}
        {changed ? (
          <p className="soft" role="status">
            Not saved yet. The tester below uses the rules as they stand here.
          </p>
        ) : null}
      </Panel>
      <BlockRuleTester siteId={site.id} rules={rules} />
    </>
  )
}

function RuleRow(props: {
  readonly rule: BlockRule
  readonly number: number
  readonly problem: string | undefined
  readonly readOnly: boolean
  readonly onEdit: (part: Partial<BlockRule>) => void
  readonly onRemove: () => void
}) {
  const { rule, number, onEdit, readOnly } = props
  const { zone } = useTime()
  return (
    <fieldset className={classes.ruleFrame} disabled={readOnly}>
      <legend className="visually-hidden">Rule {number}</legend>
      <div className={classes.rule}>
        <Switch
          aria-label="In force"
          checked={rule.enabled}
          onChange={(event) => onEdit({ enabled: event.currentTarget.checked })}
        />
        <TextInput
          label="Path"
          className={`${classes.ruleField} mono`}
          value={rule.pathPrefix}
          error={props.problem}
          onChange={(event) => onEdit({ pathPrefix: event.currentTarget.value })}
        />
        <MethodsInput methods={rule.methods} onChange={(methods) => onEdit({ methods })} />
        <NumberInput
          label="Status"
          className={classes.ruleField ?? ''}
          min={400}
          max={599}
          hideControls
          value={rule.status}
          onChange={(value) => onEdit({ status: Number(value) })}
        />
        <TextInput
          label="Note"
          className={classes.ruleField ?? ''}
          value={rule.note ?? ''}
          onChange={(event) => onEdit({ note: event.currentTarget.value })}
        />
        <LocalTimeInput
          label="Until"
          className={classes.ruleField ?? ''}
          value={toLocalInput(rule.expires, zone)}
          onChange={(event) =>
            onEdit({ expires: fromLocalInput(event.currentTarget.value, zone) ?? undefined })
          }
        />
        <ActionIcon aria-label={`Remove rule ${number}`} onClick={props.onRemove}>
          <Icon name="trash" />
        </ActionIcon>
      </div>
    </fieldset>
  )
}

/** Keeps what is typed as it is typed: the methods in it hold at once. */
function MethodsInput(props: {
  readonly methods: readonly string[]
  readonly onChange: (methods: string[]) => void
}) {
  const [typed, setTyped] = useState('')
  const said = props.methods.join(' ')
  return (
    <TextInput
      label="Methods"
      className={classes.ruleField ?? ''}
      placeholder="all"
      value={methodsOf(typed).join(' ') === said ? typed : said}
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

const newRule = (): BlockRule => ({
  id: crypto.randomUUID(),
  pathPrefix: '/',
  methods: [],
  status: 403,
  enabled: true,
})

/** The rules in a site's `blockList`; the server stores none that does not parse. */
function readRules(blockList: string): readonly BlockRule[] {
  if (blockList === '') return []
  const parsed = storedBlockRules.safeParse(JSON.parse(blockList))
  return parsed.success ? parsed.data.map((rule) => ({ ...rule, id: rule.id ?? crypto.randomUUID() })) : []
}

/** What is wrong with each rule, by its position. */
function problemsOf(rules: readonly BlockRule[]): ReadonlyMap<number, string> {
  const parsed = blockRules.safeParse(rules)
  const issues = parsed.success ? [] : parsed.error.issues
  return new Map(issues.map((issue) => [Number(issue.path[0]), issue.message]))
}
