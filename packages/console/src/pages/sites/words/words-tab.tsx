/** Instructions for researchers, and the credentials that they may reveal on their page. */
import { Button, Textarea } from '@mantine/core'
import { type Site, TEXT_CHARS_MAX } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readModifyWrite } from '../../../api/concurrent-edits.ts'
import { EditConflict } from '../../../api/error-words.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { storeSite, useSiteChange } from '../../../api/queries/site-queries.ts'
import { AskBeforeLeaving } from '../../../design/dialog/ask-before-leaving.tsx'
import { Callout } from '../../../design/feedback/callout.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { Buttons, SendButton, Stack } from '../../../design/form/form.tsx'
import { Columns, Panel } from '../../../design/page/panel.tsx'
import { texts } from './texts.ts'
import classes from './words.module.css'

export function WordsTab({ site }: { readonly site: Site }) {
  return (
    <Columns>
      <WordsPanel
        site={site}
        field="instructions"
        title={texts.instructions}
        description={texts.instructionsHint}
      />
      <WordsPanel
        site={site}
        field="credentials"
        title={texts.credentials}
        description={texts.credentialsHint}
      />
    </Columns>
  )
}

/** The text that an edit began with, and the edited text. */
interface WordsEdit {
  readonly before: string
  readonly after: string
}

/** Saves a text only where the stored one is still the one that the edit began with: two texts cannot be merged. */
function useWordsChange(siteId: string, field: 'instructions' | 'credentials') {
  const queryClient = useQueryClient()
  const params = { id: siteId }
  return useSiteChange((api, { before, after }: WordsEdit) =>
    readModifyWrite(
      () => api.callVersioned('sitesGet', { params }),
      (now, options) => {
        if (now[field] === before)
          return api.call('sitesUpdate', { params, body: { [field]: after } }, options)
        storeSite(queryClient, now)
        throw new EditConflict()
      },
    ),
  )
}

/** Somebody else saved another text meanwhile: asks which of the two to keep. */
function Conflict(props: {
  readonly theirs: string
  readonly onDiscard: () => void
  readonly onKeep: () => void
}) {
  return (
    <Callout tone="warn" role="alert" gap={8}>
      <strong>{texts.someoneElseSavedThisMeanwhile}</strong>
      <pre className={classes.theirs}>{props.theirs || texts.nothing}</pre>
      <Buttons>
        <Button variant="default" onClick={props.onDiscard}>
          {texts.useTheirs}
        </Button>
        <Button variant="default" onClick={props.onKeep}>
          {texts.keepMine}
        </Button>
      </Buttons>
    </Callout>
  )
}

function WordsPanel(props: {
  readonly site: Site
  readonly field: 'instructions' | 'credentials'
  readonly title: string
  readonly description: string
}) {
  const { site, field } = props
  const may = usePermission('sites:write')
  const notices = useNotices()
  const stored = site[field]
  const [edit, setEdit] = useState<WordsEdit | null>(null)
  const words = edit?.after ?? stored
  const change = useWordsChange(site.id, field)
  // While it is saved, the stored text may be one's own already.
  const hasConflict = edit !== null && !change.isPending && edit.before !== stored && edit.after !== stored
  const save = () => {
    const saved = { before: edit?.before ?? stored, after: words }
    const saving = change.mutateAsync(saved).then(() =>
      // Text typed while this was saved is still to be saved.
      setEdit((now) => (now && now.after !== words ? { before: words, after: now.after } : null)),
    )
    notices.whenDone(saving, texts.saved(props.title), () =>
      change.mutateAsync({ before: saved.after, after: saved.before }),
    )
  }
  return (
    <Panel title={props.title} description={props.description}>
      <AskBeforeLeaving what={texts.the(field)} isUnsaved={words !== stored} />
      <Stack>
        <Textarea
          aria-label={props.title}
          autosize
          minRows={8}
          maxRows={24}
          maxLength={TEXT_CHARS_MAX}
          readOnly={!may}
          value={words}
          onChange={(event) => setEdit({ before: edit?.before ?? stored, after: event.currentTarget.value })}
        />
        {hasConflict ? (
          <Conflict
            theirs={stored}
            onDiscard={() => setEdit(null)}
            onKeep={() => setEdit({ before: stored, after: words })}
          />
        ) : null}
        {may ? (
          <Buttons>
            <SendButton
              action={texts.save}
              isPending={change.isPending}
              isUnchanged={words === stored}
              notYet={hasConflict && texts.chooseFirst}
              onClick={save}
            />
          </Buttons>
        ) : null}
      </Stack>
    </Panel>
  )
}
