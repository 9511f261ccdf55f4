/** What `sallyport start` prints once it is ready: where everything is, and on the first run what to do next. */
import { existsSync } from 'node:fs'
import type { Settings } from '../settings.ts'
import { type FirstRun, firstRunFile, readFirstRun } from './first-run-file.ts'
import { httpUrl } from './loopback-url.ts'

export function announce(settings: Settings, isFirstRun: boolean): void {
  const lines = [
    'Sallyport is ready.',
    `  console and API   ${httpUrl(settings.controlHost, settings.controlPort)}`,
    `  gateway           ${httpUrl(settings.gatewayHost, settings.gatewayPort)}`,
  ]
  const file = firstRunFile(settings)
  if (isFirstRun && existsSync(file)) lines.push('', ...describeFirstRun(readFirstRun(file), file, settings))
  console.log(lines.join('\n'))
}

function describeFirstRun(firstRun: FirstRun, file: string, settings: Settings): string[] {
  const name = `example.${settings.gateDomain}`
  return [
    `First run. These credentials are shown once, and kept in ${file}:`,
    `  e-mail       ${firstRun.email}`,
    `  password     ${firstRun.password}`,
    `  API key      ${firstRun.apiKey}`,
    `  researcher   ${firstRun.researcher.email}, key ${firstRun.researcher.key}`,
    '',
    'Put a site behind the gate, go through it as the researcher, and see the count:',
    '',
    `  curl ${firstRun.controlUrl}/api/Sites -H 'Authorization: Bearer ${firstRun.apiKey}' \\`,
    `    --json '{"originName": "https://example.com", "gatedName": "${name}", "isActive": true}'`,
    `  curl ${firstRun.gatewayUrl}/ -H 'Host: ${name}' -H 'Sallyport-Key: ${firstRun.researcher.key}'`,
    `  curl ${firstRun.controlUrl}/api/Analytics/getTotalRequest -H 'Authorization: Bearer ${firstRun.apiKey}'`,
  ]
}
