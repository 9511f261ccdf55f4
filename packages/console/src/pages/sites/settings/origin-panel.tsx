/** The proof that the origin belongs to the organization, and the audience by which the origin recognizes its site. */
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

/** Marks a site whose origin is not proved where it has to be; nothing otherwise. */
export function UnprovedMark({ siteId }: { readonly siteId: string }) {
  const proof = useOriginProof(siteId)
  return proof.data?.state === 'unproved' ? <Status tone="warn">Origin not proved</Status> : null
}

export function OriginPanel({ site }: { readonly site: Site }) {
  const proof = useOriginProof(site.id)
  return (
    <Panel title="Origin">
      <Stack>
        <QueryState query={proof} canRetry={false} />
        {proof.data ? <Standing siteId={site.id} proof={proof.data} /> : null}
        <CopyField label="Assertion audience" value={assertionAudience(site.orgId, site.id)} />
        <p className="soft">
          An origin that checks the header Sallyport-Assertion and requires this audience takes requests
          through this site, and through no other.
        </p>
      </Stack>
    </Panel>
  )
}

function Standing({ siteId, proof }: { readonly siteId: string; readonly proof: OriginProof }) {
  if (proof.state === 'proved') return <Proved siteId={siteId} proof={proof} />
  if (proof.state === 'unproved') return <Unproved siteId={siteId} proof={proof} />
  return (
    <p className="soft">
      {proof.state === 'exempt'
        ? 'The origin is in a private range that the operator allows, so no proof is needed.'
        : 'This installation does not require proof of ownership.'}
    </p>
  )
}

function Proved({ siteId, proof }: { readonly siteId: string; readonly proof: OriginProof }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const { forget } = useOriginProofChanges(siteId)
  return (
    <>
      <div>
        <Status tone="good">Proved</Status>{' '}
        <span className="soft">
          by {proof.method === 'dns' ? 'a DNS record' : 'a file'},{' '}
          {proof.provedAt === null ? null : <RelativeTime instant={proof.provedAt} />}
        </span>
      </div>
      {may ? (
        <Buttons>
          <Button
            variant="default"
            loading={forget.isPending}
            onClick={() =>
              notices.whenDone(forget.mutateAsync(), 'Forgotten. The site stays as it is until it closes.')
            }
          >
            Forget the proof
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
        if (state === 'proved') notices.done('The origin is proved.')
        else notices.failed(new Error('The proof is not there yet.'))
      },
      onError: (error) => notices.failed(error),
    })
  return (
    <>
      <div>
        <Status tone="warn">Not proved</Status>
      </div>
      <p className="soft">
        A site opens only before an origin that is proved to be yours; one that is open already stays open.
        Publish the text below, then open the site.
      </p>
      <CopyField label="Text" value={proof.dnsValue} />
      {proof.dnsName === null ? null : <CopyField label="As a TXT record at" value={proof.dnsName} />}
      {proof.fileUrl === null ? null : (
        <CopyField label={proof.dnsName === null ? 'In the file' : 'Or in the file'} value={proof.fileUrl} />
      )}
      {may ? (
        <Buttons>
          <Button variant="default" loading={check.isPending} onClick={look}>
            Check now
          </Button>
        </Buttons>
      ) : null}
    </>
  )
}
