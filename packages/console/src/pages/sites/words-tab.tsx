/** What researchers are told, and the credentials that they may reveal on their page. */
import { Button, Textarea } from '@mantine/core'
import { type Site, TEXT_CHARS_MAX } from '@sallyport/contract'
import { useState } from 'react'
import { useMay } from '../../api/account-queries.ts'
import { useSiteChange } from '../../api/site-queries.ts'
import form from '../../design/form.module.css'
import { useNotices } from '../../design/notices.tsx'
import { Columns, Panel } from '../../design/panel.tsx'

export function WordsTab({ site }: { readonly site: Site }) {
  return (
    <Columns>
      <WordsPanel
        site={site}
        field="instructions"
        title="Instructions"
        description="Scope, rules and wishes, in plain text. Researchers read it on their page."
      />
      <WordsPanel
        site={site}
        field="credentials"
        title="Credentials"
        description="Accounts for testing. Stored encrypted; researchers reveal them by a click, and each time is recorded."
      />
    </Columns>
  )
}

function WordsPanel(props: {
  readonly site: Site
  readonly field: 'instructions' | 'credentials'
  readonly title: string
  readonly description: string
}) {
  const { site, field } = props
  const may = useMay('sites:write')
  const notices = useNotices()
  const [words, setWords] = useState(site[field])
  const change = useSiteChange((api, value: string) =>
    api.call('sitesUpdate', { params: { id: site.id }, body: { [field]: value } }),
  )
  const save = () => {
    const before = site[field]
    change.mutate(words, {
      onSuccess: () =>
        notices.done(`${props.title} saved.`, () =>
          change.mutateAsync(before).then((now) => setWords(now[field])),
        ),
      onError: (error) => notices.failed(error),
    })
  }
  return (
    <Panel title={props.title} description={props.description}>
      <div className={form.form}>
        <Textarea
          aria-label={props.title}
          autosize
          minRows={8}
          maxRows={24}
          maxLength={TEXT_CHARS_MAX}
          readOnly={!may}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        {may ? (
          <div className={form.buttons}>
            <Button disabled={words === site[field]} loading={change.isPending} onClick={save}>
              Save
            </Button>
          </div>
        ) : null}
      </div>
    </Panel>
  )
}
