import type { GateSite } from '@sallyport/contract'
import { enterUrl } from '../../parts/site/site-state.ts'
import { hostOfSite } from '../../parts/site/wildcard.ts'
import { texts } from './texts.ts'

interface HostFormProps {
  readonly site: GateSite
  readonly label: string
  readonly onLabel: (label: string) => void
}

/** Which host of a site that is many is opened, and named in the settings of tools. */
export function HostForm({ site, label, onLabel }: HostFormProps) {
  const host = hostOfSite(site, label)
  return (
    <div className="row">
      <label htmlFor="host-label">{texts.hostInPlace(<code>*</code>)}</label>
      <input
        id="host-label"
        autoComplete="off"
        spellCheck={false}
        placeholder="www"
        value={label}
        onChange={(event) => onLabel(event.currentTarget.value)}
      />
      {host && site.reason === '' ? <a href={enterUrl(host)}>{texts.goTo(host.gatedName)}</a> : null}
    </div>
  )
}
