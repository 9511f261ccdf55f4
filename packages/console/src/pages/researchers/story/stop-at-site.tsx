/** Stops a researcher at one site, and nowhere else: the list of the site is made, or changed, to be without them. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { usePermission } from '../../../api/queries/account-queries.ts'
import {
  everyoneIds,
  useSiteListChange,
  useSiteListMade,
  useSiteListTakenBack,
} from '../../../api/queries/researcher-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { wholeNumber } from '../../../design/number.ts'
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'

export function StopAtSite({
  siteId,
  gatedName,
  researcherId,
}: {
  readonly siteId: string
  readonly gatedName: string
  readonly researcherId: string
}) {
  const { api } = useServices()
  const notices = useNotices()
  const may = usePermission('sites:write')
  const listed = useSiteListChange(siteId)
  const listMade = useSiteListMade(siteId)
  const takenBack = useSiteListTakenBack(siteId)
  const [isAsking, setIsAsking] = useState(false)
  const { ask, dialog } = useAskFirst()
  const stop = async () => {
    const now = await api.call('sitesGetHackers', { params: { id: siteId } })
    const admitted = now.hasCustomList ? now.ids : await everyoneIds(api)
    if (!admitted.includes(researcherId)) return notices.done(`They may not enter ${gatedName} as it is.`)
    const ids = admitted.filter((id) => id !== researcherId)
    const change = async (): Promise<() => Promise<unknown>> => {
      if (!now.hasCustomList) {
        const before = await listMade.mutateAsync(ids)
        return () => takenBack.mutateAsync({ ids, before })
      }
      await listed.mutateAsync({ id: researcherId, listed: false, inForce: true })
      return () => listed.mutateAsync({ id: researcherId, listed: true })
    }
    ask({
      change: { kind: 'accessList', siteId: siteId, hackerIds: ids },
      title: `Stop them at ${gatedName}?`,
      action: 'Stop at this site',
      words: now.hasCustomList
        ? 'They are taken off its list: refused within a second, running requests included. Other sites are as before.'
        : `Every active researcher may enter it now. From then on only its list may: ${wholeNumber(ids.length)} who are invited now, and not whom you invite later unless you add them. They are refused within a second, running requests included.`,
      make: () =>
        notices.whenDone(change(), `They may not enter ${gatedName} any more.`, (takeBack) => takeBack()),
    })
  }
  const begin = () => {
    setIsAsking(true)
    stop().then(
      () => setIsAsking(false),
      (error: unknown) => {
        setIsAsking(false)
        notices.failed(error)
      },
    )
  }
  if (!may) return null
  return (
    <>
      {dialog}
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={`Stop here: ${gatedName}`}
        loading={isAsking || listed.isPending || listMade.isPending || takenBack.isPending}
        onClick={begin}
      >
        Stop here
      </Button>
    </>
  )
}
