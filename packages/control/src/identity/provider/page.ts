/**
 * The frame of the sign-in pages: plain HTML, one inline style sheet allowed by its hash, no script, no other request.
 */
import { createHash } from 'node:crypto'
import { policySources } from '../../http/policy-sources.ts'

/** HTML text, as opposed to text that must still be escaped. Made by `html` alone. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Tagged template: escapes whatever is put in, except what is Html already. Null and false leave nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, index) => text + rendered(values[index - 1]) + part))
}

type HtmlValue = string | number | Html | readonly Html[] | null | false | undefined

function rendered(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map((item) => item.text).join('')
  return String(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

const STYLE = `
:root{color-scheme:light dark;--ground:#f4f6f7;--surface:#fff;--line:#bcc7ce;--text:#1b242c;--soft:#55636f;--accent:#00627b;--on-accent:#fff;--bad:#b4233c;--bad-ground:#fbecef}
@media (prefers-color-scheme:dark){:root{--ground:#0f151a;--surface:#151c22;--line:#45525d;--text:#dbe3e8;--soft:#9aa8b3;--accent:#74bccd;--on-accent:#06222a;--bad:#f1798d;--bad-ground:#32181f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:400px;padding:32px;background:var(--surface);border:1px solid var(--line);border-radius:8px}
.brand{margin:0 0 24px;display:flex;align-items:center;gap:10px;color:var(--soft);font-weight:600}
.brand svg{width:24px;height:24px;color:var(--accent)}
h1{margin:0 0 16px;font-size:24px;line-height:1.25}
p{margin:0 0 16px}
.soft,small{color:var(--soft)}
small{display:block;margin-top:4px;font-size:14px}
label,legend{display:block;margin:16px 0 4px;padding:0;font-weight:600}
form+small{margin-top:16px}
fieldset{margin:0;padding:0;border:0}
fieldset label{display:flex;gap:8px;align-items:baseline;font-weight:400;margin:8px 0}
input:not([type=radio]){width:100%;padding:10px 12px;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:6px}
input[aria-invalid=true]{border-color:var(--bad)}
button,.button{display:block;width:100%;margin-top:24px;padding:11px 16px;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:6px;cursor:pointer}
button.quiet{margin-top:12px;color:var(--accent);background:transparent}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.fault{margin:16px 0;padding:10px 12px;color:var(--bad);background:var(--bad-ground);border:1px solid var(--bad);border-radius:6px}
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const MARK = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="M3 21V6l3-2 3 2 3-2 3 2 3-2 3 2v15z"/><path d="M9 21v-6a3 3 0 0 1 6 0v6"/></svg>`

export interface HtmlPage {
  readonly title: string
  readonly body: Html
}

/** A whole document. */
export const renderPage = ({ title, body }: HtmlPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Sallyport</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<p class="brand">${MARK}Sallyport</p>
${body}
</main>
</body>
</html>
`.text

/**
 * Headers of every page. `formTargets` are the origins that a form's answer may redirect to beside our own: browsers
 * apply `form-action` to redirects too. The referrer stays at home, so that a link's secret does not travel; it is not
 * switched off altogether because browsers would then send `Origin: null` with our own forms.
 */
export const pageHeaders = (formTargets: readonly string[] = []): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    'script-src',
    `style-src 'sha256-${STYLE_HASH}'`,
    ["form-action 'self'", ...policySources(formTargets)].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join(';'),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})
