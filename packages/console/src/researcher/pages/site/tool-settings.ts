import { texts } from './texts.ts'

/** Ready-to-paste settings of common tools, for a gated site and a key. */
export interface ToolSettings {
  readonly tool: string
  readonly how: string
  readonly text: string
}

const PROXY = '127.0.0.1:8119'

/**
 * `siteUrl` is where a tool begins, `hostUrls` are all hosts that a page of the site may ask: those of its group. Without a slash at
 * their ends.
 */
export function toolSettings(
  siteUrl: string,
  key: string,
  hostUrls: readonly string[] = [],
): readonly ToolSettings[] {
  const header = `Sallyport-Key: ${key}`
  return [
    { tool: 'curl', how: texts.inAShell, text: `curl -H '${header}' ${siteUrl}` },
    {
      tool: 'Burp',
      how: texts.burpHow,
      text: header,
    },
    {
      tool: 'ZAP',
      how: texts.zapHow,
      text: [
        'jobs:',
        '  - type: replacer',
        '    rules:',
        '      - description: Sallyport key',
        '        matchType: req_header',
        '        matchString: Sallyport-Key',
        `        replacementString: ${key}`,
      ].join('\n'),
    },
    {
      tool: 'ffuf',
      how: texts.inAShell,
      text: `ffuf -u ${siteUrl}FUZZ -w words.txt -H '${header}' -rate 20`,
    },
    browserSettings(hostUrls),
    { tool: 'nuclei', how: texts.inAShell, text: `nuclei -u ${siteUrl} -H '${header}' -rate-limit 20` },
  ]
}

/**
 * A profile of Chromium that sends requests to these hosts alone through the proxy, which adds the key also where a page sends no
 * cookies. The proxy's certificate is taken by its key, so that the profile trusts nothing else.
 */
function browserSettings(hostUrls: readonly string[]): ToolSettings {
  const hosts = hostUrls.map((url) => url.slice(url.indexOf('//') + 2).split(':', 1)[0] ?? '')
  const script = `function FindProxyForURL(u,h){return ${JSON.stringify(hosts)}.indexOf(h)<0?"DIRECT":"PROXY ${PROXY}"}`
  return {
    tool: texts.inABrowser,
    how: texts.inABrowserHow,
    text: [
      `sallyport researcher-proxy ${hostUrls.join(' ')} --key-file ~/.rk`,
      '',
      'pin=$(openssl x509 -in CERTIFICATE -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64)',
      `chromium --user-data-dir="$HOME/.sallyport-browser" --ignore-certificate-errors-spki-list="$pin" --proxy-pac-url='data:application/x-ns-proxy-autoconfig;base64,${btoa(script)}'`,
    ].join('\n'),
  }
}
