/** What `sallyport start` prints once it is ready: where everything is, and on the first run what to do next. */
import { existsSync } from 'node:fs'
import type { Settings } from '../settings.ts'
import { type FirstRun, firstRunFile, readFirstRun } from './first-run-file.ts'
import { httpUrl } from './loopback-url.ts'

/** What is printed elsewhere than on a terminal is kept, in a log or by a service manager: no secret is then printed. */
export function announce(settings: Settings, isFirstRun: boolean, isTerminal: boolean): void {
  const lines = [
    'Sallyport is ready.',
    `  console and API   ${httpUrl(settings.controlHost, settings.controlPort)}`,
    `  gateway           ${httpUrl(settings.gatewayHost, settings.gatewayPort)}`,
  ]
  const file = firstRunFile(settings)
  if (isFirstRun && existsSync(file))
    lines.push('', ...describeFirstRun(readFirstRun(file), file, settings, isTerminal))
  console.log(lines.join('\n'))
}

function describeFirstRun(
  firstRun: FirstRun,
  file: string,
  settings: Settings,
  isTerminal: boolean,
): string[] {
  const { email, password, apiKey, researcher } = firstRun
  const account = isTerminal
    ? [
        `First run. These credentials are shown once, and kept in ${file}:`,
        `  e-mail       ${email}`,
        `  password     ${password}`,
        `  API key      ${apiKey}`,
        `  researcher   ${researcher.email}, key ${researcher.key}`,
      ]
    : [
        'First run. The credentials are not printed, since this is no terminal. They are in',
        `  ${file}`,
        'for its owner alone. These read what the commands below need, and the password for the console:',
        '',
        `  API_KEY=$(${sedOf('apiKey', file)})`,
        `  RESEARCHER_KEY=$(${sedOf('key', file)})`,
        `  ${sedOf('password', file)}`,
      ]
  const keys = isTerminal
    ? { api: apiKey, researcher: researcher.key }
    : { api: '$API_KEY', researcher: '$RESEARCHER_KEY' }
  return [...account, '', ...describeTrial(firstRun, `example.${settings.gateDomain}`, keys, isTerminal)]
}

function describeTrial(
  { controlUrl, gatewayUrl }: FirstRun,
  name: string,
  keys: { readonly api: string; readonly researcher: string },
  isTerminal: boolean,
): string[] {
  // A variable is replaced between double quotes only.
  const quoted = (text: string): string => (isTerminal ? `'${text}'` : `"${text}"`)
  const authorization = quoted(`Authorization: Bearer ${keys.api}`)
  return [
    'Put a site behind the gate, go through it as the researcher, and see the count:',
    '',
    `  curl ${controlUrl}/api/Sites -H ${authorization} \\`,
    `    --json '{"originName": "https://example.com", "gatedName": "${name}", "isActive": true}'`,
    `  curl ${gatewayUrl}/ -H 'Host: ${name}' -H ${quoted(`Sallyport-Key: ${keys.researcher}`)}`,
    `  curl ${controlUrl}/api/Analytics/getTotalRequest -H ${authorization}`,
  ]
}

/** By what every machine has: the file is written with a member a line. */
const sedOf = (member: string, file: string): string =>
  `sed -n 's/.*"${member}": "\\(.*\\)".*/\\1/p' '${file.replaceAll("'", "'\\''")}'`
