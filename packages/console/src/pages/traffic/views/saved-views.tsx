/** Saved views. A view is its address; names and addresses are stored in this browser. */

import { ActionIcon, Button, Popover } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CopyButton } from '../../design/form/copy.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { Form } from '../../design/form/form.tsx'
import { Icon } from '../../design/icon.tsx'
import {
  parseSearch,
  readTrafficSearch,
  stringifySearch,
  type TrafficSearch,
} from '../../parts/traffic/search.ts'
import classes from './saved-views.module.css'

interface SavedView {
  readonly name: string
  /** The query string of the view. */
  readonly query: string
}
const VIEWS_MAX = 50

export function SavedViews({ search }: { readonly search: TrafficSearch }) {
  const [views, setViews] = useLocalStorage<readonly SavedView[]>({
    key: 'sallyport.views',
    defaultValue: [],
  })
  const [name, setName] = useState('')
  const save = () => {
    const { request: _request, ...kept } = search
    const query = stringifySearch({ ...kept })
    setViews([{ name, query }, ...views.filter((view) => view.name !== name)].slice(0, VIEWS_MAX))
    setName('')
  }
  return (
    <Popover position="bottom-end" width={300} trapFocus>
      <Popover.Target>
        <Button variant="default">Views</Button>
      </Popover.Target>
      <Popover.Dropdown p={6}>
        {views.length === 0 ? <div className={classes.none}>No view is saved yet</div> : null}
        {views.map((view) => (
          <div key={view.name} className={classes.view}>
            <Link to="/traffic" search={readTrafficSearch(parseSearch(view.query))} className="clip">
              {view.name}
            </Link>
            <ActionIcon
              size="sm"
              aria-label={`Forget the view ${view.name}`}
              onClick={() => setViews(views.filter((one) => one.name !== view.name))}
            >
              <Icon name="trash" size={14} />
            </ActionIcon>
          </div>
        ))}
        <Form className={classes.save} onSubmit={save}>
          <TextField
            size="xs"
            aria-label="Name of this view"
            placeholder="Name of this view"
            value={name}
            onText={setName}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            Save
          </Button>
        </Form>
        <div className={classes.save}>
          <CopyButton value={location.href} label="Copy the address" />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
