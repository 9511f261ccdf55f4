import type { GateMe, GateSite, GateSites } from '@sallyport/contract'
import { useState } from 'react'
import { personWithAddress } from '../../../language/names.ts'
import { useGateQuery } from '../../api/use-gate-query.ts'
import { useTitle } from '../../design/alone.tsx'
import { Contact } from '../../design/contact.tsx'
import { momentWords } from '../../design/moment.ts'
import { enterUrl, siteState } from '../../parts/site/site-state.ts'
import { isManyHosts } from '../../parts/site/wildcard.ts'
import { texts } from './texts.ts'

const REFRESH_MS = 20_000
/** As many rows are drawn at first, and from as many on there is a field to look for one. */
const ROWS = 100
const MANY = 12

/** Everything that this researcher may test, and whether it is open now. */
export function HomePage({ me }: { readonly me: GateMe }) {
  useTitle(texts.yourSites)
  const { data: sites, refusal } = useGateQuery<GateSites>('sites', REFRESH_MS)
  return (
    <>
      <header className="head">
        <h1>{texts.yourSites}</h1>
        <p className="soft">
          {texts.letsYouTestThese({
            organization: me.organization,
            researcher: personWithAddress(me.researcher),
            value:
              me.expiresAt === null ? texts.untilItSaysOtherwise : texts.until(momentWords(me.expiresAt)),
            contact: <Contact me={me} />,
          })}
        </p>
      </header>
      {refusal ? <p role="alert">{refusal.message}</p> : null}
      {sites === undefined && !refusal ? <p role="status">{texts.loading}</p> : null}
      {sites?.items.length === 0 ? (
        <section className="panel">
          <h2>{texts.noSiteYet}</h2>
          <p className="soft">{texts.hasNotPut(me.organization)}</p>
        </section>
      ) : null}
      {sites && sites.items.length > 0 ? <Sites sites={sites.items} /> : null}
      <p className="soft">{texts.aSiteOpensWithout(<code>Sallyport-Key</code>)}</p>
    </>
  )
}

function Sites({ sites }: { readonly sites: readonly GateSite[] }) {
  const [sought, setSought] = useState('')
  const [rows, setRows] = useState(ROWS)
  const found = sites.filter(({ gatedName }) => gatedName.includes(sought.trim().toLowerCase()))
  return (
    <section className="panel" aria-label={texts.sites}>
      {sites.length > MANY ? (
        <div className="row">
          <label htmlFor="sought">{texts.findASite}</label>
          <input
            id="sought"
            type="search"
            value={sought}
            onChange={(event) => setSought(event.currentTarget.value)}
          />
        </div>
      ) : null}
      {found.length === 0 ? <p role="status">{texts.noSiteHas}</p> : null}
      <ul className="sites">
        {found.slice(0, rows).map((site) => (
          <Row key={site.id} site={site} />
        ))}
      </ul>
      {found.length > rows ? (
        <button type="button" className="quiet" onClick={() => setRows(rows + ROWS)}>
          {texts.showMoreOf(Math.min(ROWS, found.length - rows), found.length)}
        </button>
      ) : null}
    </section>
  )
}

function Row({ site }: { readonly site: GateSite }) {
  const state = siteState(site, Date.now())
  return (
    <li>
      <a className="name" href={`/sites/${encodeURIComponent(site.id)}`}>
        {site.gatedName}
      </a>
      <span className="state" data-open={site.reason === ''}>
        {state.word}
      </span>
      <span className="soft when-closed">{state.sentence}</span>
      {site.reason === '' && !isManyHosts(site) ? (
        <a href={enterUrl(site)} aria-label={texts.openGatedName(site.gatedName)}>
          {texts.open}
        </a>
      ) : null}
    </li>
  )
}
