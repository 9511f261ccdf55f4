/** Opens and closes a site. Closing asks first: it cuts running requests. */
import { Switch } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useState } from 'react'
import { useSiteChange } from '../../api/queries/site-queries.ts'
import { ConfirmDialog } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { PreviewOfChange } from '../../parts/preview/preview-of-change.tsx'

export function SiteSwitch({ site }: { readonly site: Site }) {
  const [asking, setAsking] = useState(false)
  const notices = useNotices()
  const enable = useSiteChange((api, id: string) => api.call('sitesEnable', { params: { id } }))
  const disable = useSiteChange((api, id: string) => api.call('sitesDisable', { params: { id } }))
  const restore = useSiteChange((api, before: Site) =>
    api.call('sitesUpdate', {
      params: { id: before.id },
      body: { isActive: true, startDate: before.startDate, stopDate: before.stopDate },
    }),
  )
  const open = () =>
    notices.whenDone(enable.mutateAsync(site.id), `${site.gatedName} is open.`, () =>
      disable.mutateAsync(site.id),
    )
  const close = async () => {
    await disable.mutateAsync(site.id)
    notices.done(`${site.gatedName} is closing.`, () => restore.mutateAsync(site))
  }
  return (
    <>
      <Switch
        aria-label={`Open ${site.gatedName} to researchers`}
        checked={site.isActive}
        disabled={enable.isPending || disable.isPending}
        onChange={(event) => (event.currentTarget.checked ? open() : setAsking(true))}
      />
      <ConfirmDialog
        opened={asking}
        title="Close this site?"
        action="Close site"
        onConfirm={close}
        onClose={() => setAsking(false)}
      >
        <strong>{site.gatedName}</strong> closes within a second: running requests and WebSockets are cut, and
        researchers see a plain page that says so. It shows as closed once no gateway can serve it any more.
        You can open it again at any time.
        <PreviewOfChange change={asking ? { kind: 'stop', siteId: site.id } : null} />
      </ConfirmDialog>
    </>
  )
}
