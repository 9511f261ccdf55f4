/** Saved views: the address of this page under a name, private or shared with the organization. */
import { ActionIcon, Button, Checkbox, Popover } from '@mantine/core'
import { SAVED_VIEW_QUERY_CHARS_MAX, type SavedView } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useProfile } from '../../../api/queries/account-queries.ts'
import {
  useSavedViewCreation,
  useSavedViewRemoval,
  useSavedViewSharing,
  useSavedViews,
} from '../../../api/queries/saved-view-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { CopyButton } from '../../../design/form/copy.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { Form } from '../../../design/form/form.tsx'
import { Icon } from '../../../design/icon.tsx'
import { isolated } from '../../../design/isolated.ts'
import { Tag } from '../../../design/table/status.tsx'
import {
  parseSearch,
  readTrafficSearch,
  stringifySearch,
  type TrafficSearch,
} from '../../../parts/traffic/search.ts'
import { useLocalViews } from './local-views.ts'
import classes from './saved-views.module.css'
import { texts } from './texts.ts'

export function SavedViews({ search }: { readonly search: TrafficSearch }) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={340} trapFocus>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpened(!opened)}>
          {texts.views}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={6}>
        {opened ? (
          <>
            <ViewList />
            <MoveLocalViews />
            <SaveView search={search} />
            <div className={classes.save}>
              <CopyButton value={location.href} label={texts.copyLink} />
            </div>
          </>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  )
}

function ViewList() {
  const views = useSavedViews()
  return (
    <>
      <QueryState query={views} />
      {views.data && views.rows.length === 0 ? (
        <div className={classes.none}>{texts.noSavedViews}</div>
      ) : null}
      <div className={classes.list}>
        {views.rows.map((view) => (
          <ViewItem key={view.id} view={view} />
        ))}
      </div>
    </>
  )
}

function ViewItem({ view }: { readonly view: SavedView }) {
  const notices = useNotices()
  const { data: profile } = useProfile()
  const sharing = useSavedViewSharing()
  const removal = useSavedViewRemoval()
  const mayRemove = view.isOwn || (profile && profile.role !== 'viewer')
  const name = isolated(view.name)
  return (
    <div className={classes.view}>
      <Link to="/traffic" search={readTrafficSearch(parseSearch(view.query))} className="clip">
        {view.name}
      </Link>
      {view.isOwn ? (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`${view.isShared ? texts.shared : texts.private}: ${name}`}
          onClick={() =>
            notices.whenDone(
              sharing.mutateAsync({ id: view.id, isShared: !view.isShared }),
              view.isShared ? texts.theViewIsPrivateNow : texts.theViewIsShared,
            )
          }
        >
          {view.isShared ? texts.shared : texts.private}
        </Button>
      ) : (
        <Tag>{texts.of(view.createdBy)}</Tag>
      )}
      {mayRemove ? (
        <ActionIcon
          size="sm"
          aria-label={texts.deleteTheView(name)}
          onClick={() => notices.whenDone(removal.mutateAsync(view.id), texts.theViewIsDeleted)}
        >
          <Icon name="trash" size={14} />
        </ActionIcon>
      ) : null}
    </div>
  )
}

function SaveView({ search }: { readonly search: TrafficSearch }) {
  const notices = useNotices()
  const create = useSavedViewCreation()
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const { request: _request, ...kept } = search
  const query = stringifySearch({ ...kept })
  const isTooLong = query.length > SAVED_VIEW_QUERY_CHARS_MAX
  const save = () => {
    const saving = create({ body: { name: name.trim(), query, isShared } }).then(() => setName(''))
    notices.whenDone(saving, texts.theViewIsSaved)
  }
  return (
    <Form className={classes.saveForm} onSubmit={save}>
      <div className={classes.save}>
        <TextField
          size="xs"
          aria-label={texts.viewName}
          placeholder={texts.viewName}
          maxLength={200}
          value={name}
          onText={setName}
        />
        <Button type="submit" disabled={name.trim() === '' || isTooLong}>
          {texts.save}
        </Button>
      </div>
      {isTooLong ? <p className="soft">{texts.theseFiltersAreToo}</p> : null}
      <Checkbox
        size="xs"
        label={texts.shareWithTheOrganization}
        checked={isShared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
    </Form>
  )
}

/** Offers to move what this browser has; what cannot be moved stays. */
function MoveLocalViews() {
  const notices = useNotices()
  const create = useSavedViewCreation()
  const { views, keep } = useLocalViews()
  const [isMoving, setMoving] = useState(false)
  if (views.length === 0) return null
  const move = async () => {
    setMoving(true)
    try {
      for (const [index, { name, query }] of views.entries()) {
        await create({ body: { name, query, isShared: false } })
        keep(views.slice(index + 1))
      }
      notices.done(texts.theViewsOf)
    } catch (error) {
      notices.failed(error)
    } finally {
      setMoving(false)
    }
  }
  return (
    <div className={classes.local}>
      <span>{texts.thisBrowserKeepsView(views.length)}</span>
      <Button variant="default" loading={isMoving} onClick={() => void move()}>
        {texts.moveToTheServer}
      </Button>
      <Button variant="subtle" onClick={() => keep([])}>
        {texts.forget}
      </Button>
    </div>
  )
}
