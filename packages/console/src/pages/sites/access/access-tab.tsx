/** Who may enter: every active researcher, or the ones ticked here. */
import type { Site } from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useSiteResearchers } from '../../../api/queries/researcher-queries.ts'
import { useSiteChange } from '../../../api/queries/site-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { Segments } from '../../../design/form/fields.tsx'
import { Columns, Panel } from '../../../design/page/panel.tsx'
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'
import { AccessCheck } from './access-check.tsx'
import { ResearcherList } from './researcher-list.tsx'

const CHOICES = [
  { value: 'all', label: 'All active researchers' },
  { value: 'list', label: 'Only this list' },
] as const

export function AccessTab({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const change = useSiteChange((api, listed: boolean) =>
    api.call('sitesAllowedHackerType', { body: { id: site.id, allowedHackerType: listed } }),
  )
  const list = useSiteResearchers(site.id)
  const { ask, dialog } = useAskFirst()
  const make = (listed: boolean) =>
    notices.whenDone(
      change.mutateAsync(listed),
      listed ? 'Only the list may enter.' : 'Every active researcher may enter.',
      () => change.mutateAsync(!listed),
    )
  const choose = (listed: boolean) => {
    if (!listed) return make(listed)
    ask({
      change: list.data ? { kind: 'accessList', siteId: site.id, hackerIds: list.data.ids } : null,
      title: 'Only the list may enter?',
      action: 'Only this list',
      words: 'Running requests of those who are not on it are cut within a second.',
      make: () => make(true),
    })
  }
  return (
    <Columns fit="wide">
      {dialog}
      <Panel
        title="Who may enter"
        description="In force at the gate within a second; running requests of those who lose access are cut."
        actions={
          <Segments
            label="Who may enter"
            choices={CHOICES}
            value={site.hasCustomList ? 'list' : 'all'}
            disabled={!may || change.isPending || list.isPending}
            onChange={(value) => choose(value === 'list')}
          />
        }
        flush
      >
        <ResearcherList site={site} mayChange={may} />
      </Panel>
      <AccessCheck siteId={site.id} />
    </Columns>
  )
}
