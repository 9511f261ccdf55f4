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

type Tie = Check['ties'][number]

const LEFT_OUT = 'This is not tied yet: press Tie, or empty the field.'
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
    (known.find((tie) => tie.siteId === siteId)?.gatedName || 'a site that was removed')
  return (
    <Input.Wrapper label="Tied to" labelElement="div" error={props.error}>
      {ties.length === 0 ? (
        <p className="soft">Not tied to anything yet, so there is nothing to compare with the record.</p>
      ) : null}
      <ul className={classes.ties}>
        {ties.map((tie) => {
          const words = `${nameOf(tie.siteId)}: ${tieWords(tie)}`
          return (
            <li key={keyOf(tie)}>
              <span>{words}</span>
              <ActionIcon
                aria-label={`Untie ${words}`}
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
      setFault('Write a method and a path, such as GET /orders/{id}, or nothing for the whole site.')
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
  if (props.sites.length === 0) return <p className="soft">There is no site to tie it to.</p>
  return (
    <div className={classes.addition}>
      <Choice
        aria-label="Site to tie"
        choices={props.sites.map((site) => ({ value: site.id, label: site.gatedName }))}
        value={siteId}
        onChange={setChosen}
      />
      <TextField
        aria-label="Operation to tie"
        ref={field}
        placeholder="The whole site, or GET /orders/{id}"
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
        Tie
      </Button>
    </div>
  )
}
