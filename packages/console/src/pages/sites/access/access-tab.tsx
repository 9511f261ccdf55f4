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
import { texts } from './texts.ts'

const CHOICES = [
  { value: 'all', label: texts.allActiveResearchers },
  { value: 'list', label: texts.onlyThisList },
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
      listed ? texts.onlyTheListMayEnter : texts.everyActiveResearcherMayEnter,
      () => change.mutateAsync(!listed),
    )
  const choose = (listed: boolean) => {
    if (!listed) return make(listed)
    ask({
      change: list.data ? { kind: 'accessList', siteId: site.id, hackerIds: list.data.ids } : null,
      title: texts.onlyTheListMayEnterQuestion,
      action: texts.onlyThisList,
      words: texts.runningRequestsOfThose,
      make: () => make(true),
    })
  }
  return (
    <Columns fit="wide">
      {dialog}
      <Panel
        title={texts.whoMayEnter}
        description={texts.whoMayEnterHint}
        actions={
          <Segments
            label={texts.whoMayEnter}
            choices={CHOICES}
            value={site.hasCustomList ? 'list' : 'all'}
            disabled={!may || list.isPending}
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
