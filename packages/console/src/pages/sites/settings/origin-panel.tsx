/** Whether the gate may connect to the origin, the proof that it belongs to the organization, and the audience by which it recognizes its site. */
import { Button } from '@mantine/core'
import { assertionAudience, type OriginProof, type Site } from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useOriginProof, useOriginProofChanges } from '../../../api/queries/site-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { CopyField } from '../../../design/form/copy.tsx'
import { Buttons, Stack } from '../../../design/form/form.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { Status } from '../../../design/table/status.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { texts } from './texts.ts'

/** Marks a site whose origin the gate does not connect to, or is not proved where it has to be; nothing otherwise. */
export function OriginMarks({ siteId }: { readonly siteId: string }) {
  const proof = useOriginProof(siteId)
  return (
    <>
      {proof.data?.forbiddenRange ? <Status tone="bad">{texts.originNotAllowed}</Status> : null}
      {proof.data?.state === 'unproved' ? <Status tone="warn">{texts.originNotProved}</Status> : null}
    </>
  )
}

export function OriginPanel({ site }: { readonly site: Site }) {
  const proof = useOriginProof(site.id)
  return (
    <Panel title={texts.origin}>
      <Stack>
        <QueryState query={proof} canRetry={false} />
        {proof.data?.forbiddenRange ? (
          <p>{texts.requestsCannotReach(<b>{proof.data.forbiddenRange}</b>)}</p>
        ) : null}
        {proof.data ? <Standing siteId={site.id} proof={proof.data} /> : null}
        <CopyField label={texts.assertionAudience} value={assertionAudience(site.orgId, site.id)} />
        <p className="soft">{texts.anOriginThatChecks}</p>
      </Stack>
    </Panel>
  )
}

function Standing({ siteId, proof }: { readonly siteId: string; readonly proof: OriginProof }) {
  if (proof.state === 'proved') return <Proved siteId={siteId} proof={proof} />
  if (proof.state === 'unproved') return <Unproved siteId={siteId} proof={proof} />
  return <p className="soft">{proof.state === 'exempt' ? texts.theOriginIs : texts.thisInstallationDoes}</p>
}

function Proved({ siteId, proof }: { readonly siteId: string; readonly proof: OriginProof }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const { forget } = useOriginProofChanges(siteId)
  return (
    <>
      <div>
        <Status tone="good">{texts.proved}</Status>{' '}
        <span className="soft">
          {texts.byADnsRecord(
            proof.method === 'dns',
            proof.provedAt === null ? null : <RelativeTime instant={proof.provedAt} />,
          )}
        </span>
      </div>
      {may ? (
        <Buttons>
          <Button
            variant="default"
            loading={forget.isPending}
            onClick={() => notices.whenDone(forget.mutateAsync(), texts.forgottenTheSiteStays)}
          >
            {texts.forgetTheProof}
          </Button>
        </Buttons>
      ) : null}
    </>
  )
}

function Unproved({ siteId, proof }: { readonly siteId: string; readonly proof: OriginProof }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const { check } = useOriginProofChanges(siteId)
  const look = () =>
    check.mutate(undefined, {
      onSuccess: ({ state }) => {
        if (state === 'proved') notices.done(texts.theOriginIsProved)
        else notices.failed(new Error(texts.theProofIs))
      },
      onError: (error) => notices.failed(error),
    })
  return (
    <>
      <div>
        <Status tone="warn">{texts.notProved}</Status>
      </div>
      <p className="soft">{texts.aSiteOpensOnly}</p>
      <CopyField label={texts.text} value={proof.dnsValue} />
      {proof.dnsName === null ? null : <CopyField label={texts.asATxtRecord} value={proof.dnsName} />}
      {proof.fileUrl === null ? null : (
        <CopyField
          label={proof.dnsName === null ? texts.inTheFile : texts.orInTheFile}
          value={proof.fileUrl}
        />
      )}
      {may ? (
        <Buttons>
          <Button variant="default" loading={check.isPending} onClick={look}>
            {texts.checkNow}
          </Button>
        </Buttons>
      ) : null}
    </>
  )
}
