/** What came of the check of a pack: the verdict, what the pack is about, and each check. Names in it are anybody's. */
import type { PackCheck, PackVerification } from '@sallyport/evidence-pack'
import type { ReactNode } from 'react'
import { useOrganization } from '../../api/queries/account-queries.ts'
import { Callout } from '../../design/feedback/callout.tsx'
import { isolated } from '../../design/isolated.ts'
import { Panel } from '../../design/page/panel.tsx'
import { Facts } from '../../design/table/facts.tsx'
import { Status, type Tone } from '../../design/table/status.tsx'
import { Table } from '../../design/table/table.tsx'
import { useTime } from '../../design/time/time.tsx'
import { wholeNumber } from '../../language/number.ts'
import { checkedWords, verdictOf } from './check-words.ts'
import classes from './evidence.module.css'
import { texts } from './texts.ts'

const SHOWN_CHARS_MAX = 200
const STATES: Readonly<Record<PackCheck['state'], readonly [Tone, string]>> = {
  passed: ['good', texts.passed],
  failed: ['bad', texts.failed],
  skipped: ['off', texts.notChecked],
}

export function CheckedPack({ pack, ownKey }: { readonly pack: PackVerification; readonly ownKey: string }) {
  const verdict = verdictOf(pack, ownKey)
  return (
    <>
      <Callout tone={verdict.tone} role={verdict.tone === 'bad' ? 'alert' : 'status'}>
        <strong>{verdict.title}</strong>
        <span>{verdict.detail}</span>
        <OtherOrganization manifest={pack.manifest} />
      </Callout>
      {pack.manifest ? <AboutPack pack={pack} manifest={pack.manifest} ownKey={ownKey} /> : null}
      <Panel title={texts.whatWasChecked} flush>
        <Table
          label={texts.whatWasChecked}
          rows={pack.checks}
          rowKey={({ name }) => name}
          columns={[
            { head: texts.check, cell: checkedWords },
            { head: texts.result, cell: ({ state }) => <StateOfCheck state={state} /> },
            { head: texts.whatIsWrong, cell: ({ problems }) => <Problems problems={problems} /> },
          ]}
        />
      </Panel>
    </>
  )
}

function StateOfCheck({ state }: { readonly state: PackCheck['state'] }) {
  const [tone, words] = STATES[state]
  return <Status tone={tone} words={words} />
}

const Problems = ({ problems }: { readonly problems: readonly string[] }): ReactNode =>
  problems.length === 0 ? (
    <span className="soft">–</span>
  ) : (
    problems.map((problem) => (
      <div key={problem} className={classes.anywhere}>
        {problem}
      </div>
    ))
  )

/** All organizations of an installation have one key, so a pack by it may be about any of them. */
function OtherOrganization({ manifest }: { readonly manifest: PackVerification['manifest'] }) {
  const organization = useOrganization()
  if (!manifest || !organization.data || manifest.organization.id === organization.data.id) return null
  return <span>{texts.itIsAboutAnother(shown(manifest.organization.name))}</span>
}

function AboutPack(props: {
  readonly pack: PackVerification
  readonly manifest: NonNullable<PackVerification['manifest']>
  readonly ownKey: string
}) {
  const { pack, manifest, ownKey } = props
  const time = useTime()
  const { organization, site, project, window } = manifest
  return (
    <Panel title={texts.whatItIsAbout} description={pack.isIntact ? undefined : texts.whatItIsAboutHint}>
      <Facts
        of={[
          [texts.organization, `${shown(organization.name)} (${shown(organization.id)})`],
          [texts.site, texts.inFrontOf(shown(site.gatedName), shown(site.originName))],
          [texts.project, project ? shown(project.name) || shown(project.id) : null],
          [texts.window, texts.to(time.full(window.gte), time.full(window.lte))],
          [texts.made, time.full(manifest.createdAt)],
          [texts.requests, texts.lines(manifest.traffic.events)],
          [texts.auditEntries, wholeNumber(manifest.audit.entries)],
          [texts.signedBy, <SignedBy key="key" fingerprint={pack.fingerprint} ownKey={ownKey} />],
        ]}
      />
    </Panel>
  )
}

const SignedBy = (props: { readonly fingerprint: string; readonly ownKey: string }) =>
  props.fingerprint === '' ? (
    'nobody'
  ) : (
    <>
      <code className={classes.anywhere}>{props.fingerprint}</code>
      {props.fingerprint === props.ownKey ? texts.thisInstallation : null}
    </>
  )

const shown = (name: string): string => isolated(name.slice(0, SHOWN_CHARS_MAX))
