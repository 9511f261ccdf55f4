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

export function KillSwitch() {
  const may = usePermission('sites:write')
  const organization = useOrganization()
  const killSwitch = useKillSwitch()
  const notices = useNotices()
  if (!may || !organization.data || organization.data.isStopped) return null
  const stop = async () => {
    await killSwitch.mutateAsync(true)
    notices.done('Everything is being stopped.', () => killSwitch.mutateAsync(false))
  }
  return (
    <ConfirmButton
      label="Stop everything"
      button={{ variant: 'outline', className: 'danger', leftSection: <Icon name="stop" size={14} /> }}
      title="Stop everything?"
      action="Stop everything"
      onConfirm={stop}
    >
      Every site closes within a second (<OpenSites /> open now), running requests and WebSockets are cut, and
      nobody gets in until you resume. The settings of the sites stay as they are. It is written to the audit
      log.
    </ConfirmButton>
  )
}

/** How many they are is asked for when somebody is about to close them: no other page needs the whole list for its frame. */
function OpenSites() {
  const sites = useSites()
  return sites.data?.filter((site) => site.isActive).length ?? 'it is not known how many are'
}

/** Shown above every page while the kill switch is on. */
export function StoppedBanner() {
  const may = usePermission('sites:write')
  const organization = useOrganization()
  const killSwitch = useKillSwitch()
  const notices = useNotices()
  if (!organization.data?.isStopped && !organization.data?.isSuspended) return null
  const { isStopped, stoppedBy, stoppedDate, isDeploymentProgress } = organization.data
  const words = isDeploymentProgress ? 'is being stopped' : 'is stopped'
  const resume = () =>
    notices.whenDone(killSwitch.mutateAsync(false), 'Sites are open again according to their own settings.')
  return (
    <div className={classes.stopped} role="alert">
      <Icon name="stop" />
      {isStopped ? (
        <span>
          Everything {words}
          {stoppedBy ? ` by ${stoppedBy}` : ''} {stoppedDate ? <RelativeTime instant={stoppedDate} /> : null}:{' '}
          <Admitted isDeploymentProgress={isDeploymentProgress} />
        </span>
      ) : (
        <span>
          The operator has suspended this organization:{' '}
          <Admitted isDeploymentProgress={isDeploymentProgress} />
        </span>
      )}
      {isStopped && may ? (
        <Button variant="white" color="dark" loading={killSwitch.isPending} onClick={resume}>
          Resume
        </Button>
      ) : null}
    </div>
  )
}

/** Nothing is said to be closed while a gateway may still serve it. */
function Admitted({ isDeploymentProgress }: Pick<OrganizationDetails, 'isDeploymentProgress'>) {
  if (!isDeploymentProgress) return 'no site admits anyone.'
  return (
    <>
      a gateway has not confirmed it and may still serve. <Link to="/gateways">Gateways</Link>
    </>
  )
}
