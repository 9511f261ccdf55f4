/** What a check is tied to: a list, and a line that adds an operation of a site, or the whole site. */
import { ActionIcon, Button, Input } from '@mantine/core'
import { CHECK_TIES_MAX, type Check, type ProjectCheck } from '@sallyport/contract'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useApiQuery } from '../../api/api-query.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { Choice, TextField } from '../../design/form/fields.tsx'
import { Icon } from '../../design/icon.tsx'
import { tieWords } from './check-words.ts'
import classes from './projects.module.css'
import { texts } from './texts.ts'

type Tie = Check['ties'][number]

const LEFT_OUT = texts.thisIsNotTied
const OPERATION = /^\s*(\S+)\s+(\/\S*)\s*$/

export function TiesField(props: {
  readonly ties: readonly Tie[]
  /** As the sites were called when they were tied. */
  readonly known: ProjectCheck['ties']
  readonly error: string | undefined
  readonly onTies: (ties: Tie[]) => void
}) {
  const { ties, known, onTies } = props
  const sites = useSites()
  const nameOf = (siteId: string): string =>
    sites.data?.find((site) => site.id === siteId)?.gatedName ??
    (known.find((tie) => tie.siteId === siteId)?.gatedName || texts.aSiteThatWasRemoved)
  return (
    <Input.Wrapper label={texts.tiedTo} labelElement="div" error={props.error}>
      {ties.length === 0 ? <p className="soft">{texts.notTiedToAnything}</p> : null}
      <ul className={classes.ties}>
        {ties.map((tie) => {
          const words = `${nameOf(tie.siteId)}: ${tieWords(tie)}`
          return (
            <li key={keyOf(tie)}>
              <span>{words}</span>
              <ActionIcon
                aria-label={texts.untie(words)}
                onClick={() => onTies(ties.filter((one) => keyOf(one) !== keyOf(tie)))}
              >
                <Icon name="close" size={12} />
              </ActionIcon>
            </li>
          )
        })}
      </ul>
      {ties.length < CHECK_TIES_MAX ? (
        <TieAddition
          sites={sites.data ?? []}
          onTie={(tie) => {
            if (!ties.some((one) => keyOf(one) === keyOf(tie))) onTies([...ties, tie])
          }}
        />
      ) : null}
    </Input.Wrapper>
  )
}

const keyOf = (tie: Tie): string => JSON.stringify([tie.siteId, tie.method, tie.template])

function TieAddition(props: {
  readonly sites: readonly { readonly id: string; readonly gatedName: string }[]
  readonly onTie: (tie: Tie) => void
}) {
  const listId = useId()
  const [chosen, setChosen] = useState('')
  const [operation, setOperation] = useState('')
  const [fault, setFault] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const isLeftOut = operation.trim() !== ''
  // Saved as it stands, the check would be without what was typed here.
  useEffect(() => field.current?.setCustomValidity(isLeftOut ? LEFT_OUT : ''), [isLeftOut])
  const siteId = chosen || props.sites[0]?.id || ''
  const operations = useApiQuery(
    ['sites', siteId, 'definition', 'operations', 'to tie'],
    'sitesListOperations',
    { params: { id: siteId }, query: { limit: 500 } },
    { enabled: siteId !== '', staleTime: 60_000 },
  )
  const add = () => {
    if (siteId === '') return
    const [, method, template] = OPERATION.exec(operation) ?? []
    if (operation.trim() !== '' && (method === undefined || template === undefined)) {
      setFault(texts.writeAMethod)
      return
    }
    props.onTie({ siteId, ...(method !== undefined && template !== undefined && { method, template }) })
    setOperation('')
    setFault('')
  }
  const addAtEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  if (props.sites.length === 0) return <p className="soft">{texts.thereIsNoSite}</p>
  return (
    <div className={classes.addition}>
      <Choice
        aria-label={texts.siteToTie}
        choices={props.sites.map((site) => ({ value: site.id, label: site.gatedName }))}
        value={siteId}
        onChange={setChosen}
      />
      <TextField
        aria-label={texts.operationToTie}
        ref={field}
        placeholder={texts.operationToTiePlaceholder}
        list={listId}
        value={operation}
        onText={setOperation}
        onKeyDown={addAtEnter}
        error={fault === '' ? undefined : fault}
      />
      <datalist id={listId}>
        {operations.data?.items.map(({ method, template }) => (
          <option key={`${method} ${template}`} value={`${method} ${template}`} />
        ))}
      </datalist>
      <Button variant="default" onClick={add}>
        {texts.tie}
      </Button>
    </div>
  )
}
