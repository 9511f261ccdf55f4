import type { GateMe, GateSite, GateSites } from '@sallyport/contract'
import { useState } from 'react'
import { personName } from '../../../language/names.ts'
import { useGateQuery } from '../../api/use-gate-query.ts'
import { useTitle } from '../../design/alone.tsx'
import { Contact } from '../../design/contact.tsx'
import { momentWords } from '../../design/moment.ts'
import { enterUrl, siteState } from '../../parts/site/site-state.ts'
import { hostOfSite, isManyHosts } from '../../parts/site/wildcard.ts'
import { Budget } from './budget.tsx'
import { Credentials } from './credentials.tsx'
import { HostForm } from './host-form.tsx'
import { Requests } from './requests.tsx'
import { Scope } from './scope.tsx'
import { texts } from './texts.ts'
import { Tools } from './tools.tsx'

const REFRESH_MS = 20_000

/** Everything that a researcher needs for one site: scope, rules, credentials, tools, budget, and their own requests. */
export function SitePage(props: {
  readonly me: GateMe
  readonly siteId: string
  /** Of the address: names the request that led here, if one did. */
  readonly fragment: string
}) {
  const { me, siteId, fragment } = props
  const { data: sites, refusal } = useGateQuery<GateSites>('sites', REFRESH_MS, true)
  const site = sites?.items.find(({ id }) => encodeURIComponent(id) === siteId)
  if (site) return <Site me={me} site={site} sites={sites?.items ?? []} fragment={fragment} />
  if (refusal) return <p role="alert">{refusal.message}</p>
  if (!sites) return <p role="status">{texts.loading}</p>
  return (
    <>
      <h1>{texts.noSuchSite}</h1>
      <p>{texts.hasNoSiteHere(me.organization, <a href="/">{texts.yourSites}</a>, <Contact me={me} />)}</p>
    </>
  )
}

interface SiteProps {
  readonly me: GateMe
  readonly site: GateSite
  /** All of the researcher. */
  readonly sites: readonly GateSite[]
  readonly fragment: string
}

function Site({ me, site, sites, fragment }: SiteProps) {
  const [label, setLabel] = useState('')
  useTitle(site.gatedName)
  const api = `sites/${encodeURIComponent(site.id)}/`
  const state = siteState(site, Date.now())
  const urlShown = (hostOfSite(site, label) ?? hostOfSite(site, 'www') ?? site).url
  const others = sites.filter((one) => site.group && one.group === site.group && !isManyHosts(one))
  const hostUrls = [...new Set([urlShown, ...others.map(({ url }) => url)])]
  return (
    <>
      <header className="head">
        <h1>{site.gatedName}</h1>
        <p>
          <span className="state" data-open={site.reason === ''}>
            {state.word}
          </span>{' '}
          <span className="soft">{state.sentence}</span>
        </p>
        <p className="soft">
          {texts.openedToYou({
            organization: me.organization,
            researcher: personName(me.researcher),
            value: me.expiresAt === null ? '' : texts.untilValue(momentWords(me.expiresAt)),
            link:
              site.reason === '' && !isManyHosts(site) ? (
                <a href={enterUrl(site)}>{texts.goToTheSite}</a>
              ) : null,
            contact: <Contact me={me} />,
          })}
        </p>
        {isManyHosts(site) ? <HostForm site={site} label={label} onLabel={setLabel} /> : null}
      </header>
      <div className="columns">
        <div className="column">
          <Scope api={api} />
          <Tools siteUrl={`${urlShown}/`} hostUrls={hostUrls} />
        </div>
        <div className="column">
          <Budget api={api} />
          <Credentials api={api} />
        </div>
      </div>
      <Requests api={api} fragment={fragment} />
    </>
  )
}
