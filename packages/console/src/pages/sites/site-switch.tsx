/** Opens and closes a site. Closing asks first: it cuts running requests. */
import { Switch } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useState } from 'react'
import { useSiteChange } from '../../api/queries/site-queries.ts'
import { ConfirmDialog } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { PreviewOfChange } from '../../parts/preview/preview-of-change.tsx'
import { texts } from './texts.ts'

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
    notices.whenDone(enable.mutateAsync(site.id), texts.isOpen(site.gatedName), () =>
      disable.mutateAsync(site.id),
    )
  const close = async () => {
    await disable.mutateAsync(site.id)
    notices.done(texts.isClosing(site.gatedName), () => restore.mutateAsync(site))
  }
  return (
    <>
      <Switch
        aria-label={texts.openGatedName(site.gatedName)}
        checked={site.isActive}
        onChange={(event) => (event.currentTarget.checked ? open() : setAsking(true))}
      />
      <ConfirmDialog
        opened={asking}
        title={texts.closeThisSite}
        action={texts.closeSite}
        onConfirm={close}
        onClose={() => setAsking(false)}
      >
        {texts.closeThisSiteBody(
          <strong>{site.gatedName}</strong>,
          <PreviewOfChange change={asking ? { kind: 'stop', siteId: site.id } : null} />,
        )}
      </ConfirmDialog>
    </>
  )
}
