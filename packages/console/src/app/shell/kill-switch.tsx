/** The kill switch: on every page, confirmed, undoable. It closes every site of the organization within a second. */
import { Button } from '@mantine/core'
import type { OrganizationDetails } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useOrganization, usePermission } from '../../api/queries/account-queries.ts'
import { useKillSwitch } from '../../api/queries/organization-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { Icon } from '../../design/icon.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import classes from './shell.module.css'
import { texts } from './texts.ts'

export function KillSwitch() {
  const may = usePermission('sites:write')
  const organization = useOrganization()
  const killSwitch = useKillSwitch()
  const notices = useNotices()
  if (!may || !organization.data || organization.data.isStopped) return null
  const stop = async () => {
    await killSwitch.mutateAsync(true)
    notices.done(texts.everythingIsBeingStopped, () => killSwitch.mutateAsync(false))
  }
  return (
    <ConfirmButton
      label={texts.stopEverything}
      button={{ variant: 'outline', className: 'danger', leftSection: <Icon name="stop" size={14} /> }}
      title={texts.stopEverythingQuestion}
      action={texts.stopEverything}
      onConfirm={stop}
    >
      {texts.stopEverythingBody(<OpenSites />)}
    </ConfirmButton>
  )
}

/** How many they are is asked for when somebody is about to close them: no other page needs the whole list for its frame. */
function OpenSites() {
  const sites = useSites()
  return sites.data?.filter((site) => site.isActive).length ?? texts.itIsNotKnown
}

/** Shown above every page while the kill switch is on. */
export function StoppedBanner() {
  const may = usePermission('sites:write')
  const organization = useOrganization()
  const killSwitch = useKillSwitch()
  const notices = useNotices()
  if (!organization.data?.isStopped && !organization.data?.isSuspended) return null
  const { isStopped, stoppedBy, stoppedDate, isDeploymentProgress } = organization.data
  const words = isDeploymentProgress ? texts.isBeingStopped : texts.isStopped
  const resume = () => notices.whenDone(killSwitch.mutateAsync(false), texts.sitesAreOpenAgain)
  return (
    <div className={classes.stopped} role="alert">
      <Icon name="stop" />
      {isStopped ? (
        <span>
          {texts.everythingBy({
            words,
            stoppedBy,
            time: stoppedDate ? <RelativeTime instant={stoppedDate} /> : null,
            admitted: <Admitted isDeploymentProgress={isDeploymentProgress} />,
          })}
        </span>
      ) : (
        <span>{texts.theOperatorHasSuspended(<Admitted isDeploymentProgress={isDeploymentProgress} />)}</span>
      )}
      {isStopped && may ? (
        <Button variant="white" color="dark" loading={killSwitch.isPending} onClick={resume}>
          {texts.resume}
        </Button>
      ) : null}
    </div>
  )
}

/** Nothing is said to be closed while a gateway may still serve it. */
function Admitted({ isDeploymentProgress }: Pick<OrganizationDetails, 'isDeploymentProgress'>) {
  if (!isDeploymentProgress) return texts.noSiteAdmitsAnyone
  return <>{texts.aGatewayHas(<Link to="/gateways">{texts.gateways}</Link>)}</>
}
