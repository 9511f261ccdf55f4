import { useState } from 'react'
import { texts } from './texts.ts'
import { toolSettings } from './tool-settings.ts'

const UNKNOWN_KEY = 'rk_live_YOUR_KEY'

interface ToolsProps {
  readonly siteUrl: string
  readonly hostUrls: readonly string[]
}

/** Settings of tools with the researcher's key in them. No page has the key, so it is pasted here, and sent nowhere. */
export function Tools({ siteUrl, hostUrls }: ToolsProps) {
  const [pasted, setPasted] = useState('')
  const [chosen, setChosen] = useState(0)
  const settings = toolSettings(siteUrl, pasted.trim() || UNKNOWN_KEY, hostUrls)
  const shown = settings[chosen] ?? settings[0]
  return (
    <section className="panel" aria-labelledby="tools">
      <h2 id="tools">{texts.yourKeyInYourTools}</h2>
      <p className="soft">{texts.toolsShowYourKey(<code>Sallyport-Key</code>)}</p>
      <div className="row">
        <label htmlFor="tool-key">{texts.key}</label>
        <input
          id="tool-key"
          type="password"
          autoComplete="off"
          placeholder="rk_live_…"
          value={pasted}
          onChange={(event) => setPasted(event.currentTarget.value)}
        />
      </div>
      <fieldset className="choices">
        <legend className="hidden">{texts.tool}</legend>
        {settings.map((one, index) => (
          <label key={one.tool}>
            <input type="radio" name="tool" checked={index === chosen} onChange={() => setChosen(index)} />
            {one.tool}
          </label>
        ))}
      </fieldset>
      {shown ? (
        <>
          <p className="soft">{shown.how}:</p>
          <pre className="settings">{shown.text}</pre>
          <CopySettings key={shown.tool} text={shown.text} />
        </>
      ) : null}
    </section>
  )
}

function CopySettings({ text }: { readonly text: string }) {
  const [said, setSaid] = useState(texts.copy)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid(texts.copied),
      () => setSaid(texts.selectAndCopy),
    )
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{said}</span>
    </button>
  )
}
