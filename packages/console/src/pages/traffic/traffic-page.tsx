/**
 * The request log: a timeline to zoom in, facets to include and exclude, a table that stays smooth however long it
 * gets, a live tail, one request in full, and export. All of it is in the address, so any view can be kept and sent.
 */

import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { usePermission } from '../../api/queries/account-queries.ts'
import { Icon } from '../../design/icon.tsx'
import { Page } from '../../design/page/panel.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { useSearchChange } from '../../parts/traffic/use-search-change.ts'
import { ExportMenu } from './export/export-menu.tsx'
import { FilterChips } from './filter-chips.tsx'
import { TrafficKeys } from './keys/traffic-keys.tsx'
import { FilterBar } from './query/filter-bar.tsx'
import { texts } from './texts.ts'
import { SavedViews } from './views/saved-views.tsx'
import { WindowPanels } from './window-panels.tsx'

/** The window as it is at first, which follows the clock. */
const NOW = { gte: undefined, lte: undefined }

const route = getRouteApi('/traffic')

export function TrafficPage() {
  const search = route.useSearch()
  const mayExport = usePermission('traffic:export')
  const set = useSearchChange('/traffic')
  return (
    <Page
      title={texts.traffic}
      fill
      actions={
        <>
          <WindowPicker
            value={search}
            onChange={(window) => set({ ...window, ...(window.lte && { live: undefined }) })}
          />
          <Button
            variant={search.live ? 'filled' : 'default'}
            aria-pressed={search.live === true}
            leftSection={<Icon name={search.live ? 'pause' : 'play'} size={14} />}
            // A window that has ended shows nothing of what comes.
            onClick={() => set(search.live ? { live: undefined } : { live: true, ...(search.lte && NOW) })}
          >
            {search.live ? texts.stopLive : texts.live}
          </Button>
          <SavedViews search={search} />
          <TrafficKeys search={search} onChange={set} />
          {mayExport ? <ExportMenu search={search} /> : null}
        </>
      }
    >
      <FilterBar search={search} onChange={set} />
      <FilterChips search={search} onChange={set} />
      <WindowPanels search={search} onChange={set} />
    </Page>
  )
}
