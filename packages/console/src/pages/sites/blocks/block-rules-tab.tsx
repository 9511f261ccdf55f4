/** The block rules of a site: edited here, in force at the gate within a second of being saved. */
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { PreviewedChange, Site } from '@sallyport/contract'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { AskBeforeLeaving } from '../../../design/dialog/ask-before-leaving.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { SendButton } from '../../../design/form/form.tsx'
import { Icon } from '../../../design/icon.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { PreviewOfChange } from '../../../parts/preview/preview-of-change.tsx'
import { BlockRuleTester } from './block-rule-tester.tsx'
import classes from './blocks.module.css'
import { RuleRow } from './rule-row.tsx'
import { texts } from './texts.ts'
import { useBlockRules } from './use-block-rules.ts'

/** A preview is asked for once nobody has typed for so long. */
const PREVIEW_WAIT_MS = 500

export function BlockRulesTab({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const list = useBlockRules(site)
  const { rules, problems, isUnsaved } = list
  const isPreviewed = isUnsaved && problems.size === 0
  // As text, which is the same from one drawing to the next.
  const [previewed] = useDebouncedValue(isPreviewed ? JSON.stringify(rules) : '', PREVIEW_WAIT_MS)
  const rows = useRef<HTMLDivElement>(null)
  const add = () => {
    flushSync(list.add)
    // Where the next thing is to be typed: behind the slash.
    const path = rows.current?.querySelector<HTMLInputElement>('fieldset:last-of-type input[name="path"]')
    path?.focus()
    path?.setSelectionRange(path.value.length, path.value.length)
  }
  const addButton = useRef<HTMLButtonElement>(null)
  const remove = (id: string) => {
    flushSync(() => list.remove(id))
    // The button that was pressed is gone with its rule.
    addButton.current?.focus()
  }
  return (
    <>
      <AskBeforeLeaving what={texts.theBlockRules} isUnsaved={isUnsaved} />
      <Panel
        title={texts.blockedPaths}
        description={texts.blockedPathsHint}
        actions={
          may ? (
            <>
              <Button
                variant="default"
                leftSection={<Icon name="plus" size={14} />}
                onClick={add}
                ref={addButton}
              >
                {texts.addARule}
              </Button>
              <SendButton
                action={texts.save}
                isPending={list.isSaving}
                isUnchanged={!isUnsaved}
                notYet={problems.size > 0 && texts.aRuleIsNotRight}
                onClick={list.save}
              />
            </>
          ) : null
        }
      >
        <div ref={rows}>
          <RuleList list={{ ...list, remove }} readOnly={!may} />
        </div>
        {isUnsaved ? (
          <p className="soft" role="status">
            {texts.notSavedYet}
          </p>
        ) : null}
        {may ? <PreviewOfChange change={previewOf(site.id, previewed)} /> : null}
      </Panel>
      <BlockRuleTester siteId={site.id} rules={rules} />
    </>
  )
}

const previewOf = (siteId: string, rules: string): PreviewedChange | null =>
  rules === '' ? null : { kind: 'blockRules', siteId, rules: JSON.parse(rules) }

function RuleList(props: { readonly list: ReturnType<typeof useBlockRules>; readonly readOnly: boolean }) {
  const { rules, problems, edit, remove } = props.list
  if (rules.length === 0)
    return (
      <EmptyState icon="firewall" title={texts.noBlockRules}>
        {texts.noBlockRulesBody}
      </EmptyState>
    )
  return (
    <div className={classes.rules}>
      <div className={`${classes.rule} ${classes.ruleHead}`} aria-hidden="true">
        <span>{texts.on}</span>
        <span>{texts.path}</span>
        <span>{texts.methodsEmptyAll}</span>
        <span>{texts.status}</span>
        <span>{texts.note}</span>
        <span>{texts.until}</span>
      </div>
      {rules.map((rule, index) => (
        <RuleRow
          key={rule.id}
          rule={rule}
          number={index + 1}
          problem={problems.get(index)}
          readOnly={props.readOnly}
          onEdit={(part) => edit(rule.id, part)}
          onRemove={() => remove(rule.id)}
        />
      ))}
    </div>
  )
}
