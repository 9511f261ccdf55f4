/** Ready-to-paste settings of common tools, for a gated site and a key. */
export interface ToolSettings {
  readonly tool: string
  readonly how: string
  readonly text: string
}

export function toolSettings(siteUrl: string, key: string): readonly ToolSettings[] {
  const header = `Sallyport-Key: ${key}`
  return [
    { tool: 'curl', how: 'In a shell', text: `curl -H '${header}' ${siteUrl}` },
    {
      tool: 'Burp',
      how: 'Settings, Sessions, Session handling rules: add a rule with the action "Set a specific header"; or Proxy, Match and replace rules, type "Request header", an empty match and this replacement',
      text: header,
    },
    {
      tool: 'ZAP',
      how: 'Tools, Options, Replacer: add "Request header (will add if not present)"; or with the automation framework',
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
    { tool: 'ffuf', how: 'In a shell', text: `ffuf -u ${siteUrl}FUZZ -w words.txt -H '${header}' -rate 20` },
    { tool: 'nuclei', how: 'In a shell', text: `nuclei -u ${siteUrl} -H '${header}' -rate-limit 20` },
  ]
}
