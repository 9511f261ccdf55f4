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
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'
import { texts } from './texts.ts'

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
    if (!admitted.includes(researcherId)) return notices.done(texts.theyMayNotEnter(gatedName))
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
      title: texts.stopThemAt(gatedName),
      action: texts.stopAtThisSite,
      words: now.hasCustomList ? texts.theyAreTakenOff : texts.everyActiveResearcherMay(ids.length),
      make: () => notices.whenDone(change(), texts.theyMayNotEnterAny(gatedName), (takeBack) => takeBack()),
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
        aria-label={texts.stopHereGatedName(gatedName)}
        loading={isAsking || listed.isPending || listMade.isPending || takenBack.isPending}
        onClick={begin}
      >
        {texts.stopHere}
      </Button>
    </>
  )
}
