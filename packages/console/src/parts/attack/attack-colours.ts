/**
 * The colour of each class of attack, the same on every page and in every view. Classes of one family share one, so that there are few
 * enough to tell apart: what a colour stands for is always said in words beside it.
 */
import type { AttackClass } from '@sallyport/contract/words'

/** A class that rules name, or one that is only a sign of a tool, or that gateways or older rule sets name. */
type ColouredClass = AttackClass | 'sqli' | 'rce' | 'ssti' | 'definition'

/** The tokens, without what they begin with. */
const FAMILIES: Readonly<Record<ColouredClass, string>> = {
  sql_injection: 'sql',
  sqli: 'sql',
  nosql_injection: 'lookup',
  ldap_injection: 'lookup',
  command_injection: 'command',
  rce: 'command',
  code_injection: 'code',
  php_code_injection: 'code',
  java_code_injection: 'code',
  js_code_injection: 'code',
  template_injection: 'template',
  ssti: 'template',
  deserialization: 'template',
  xss: 'script',
  lfi: 'path',
  rfi: 'path',
  ssrf: 'request',
  xxe: 'document',
  unrestricted_file_upload: 'upload',
  sensitive_file: 'upload',
  access_control_bypass: 'access',
  session_fixation: 'access',
  http_protocol_violation: 'protocol',
  exploit_detection: 'exploit',
  definition: 'definition',
}

const isColoured = (attackClass: string): attackClass is ColouredClass => Object.hasOwn(FAMILIES, attackClass)

/** The colour of a class, as a value of CSS. Classes that only a rule set of somebody's own names share one. */
export const attackColour = (attackClass: string): string =>
  `var(--attack-${isColoured(attackClass) ? FAMILIES[attackClass] : 'other'})`

const SHADES = 4
const SHADE_PERCENT = 22

/** Shades of the colour of a class, for several things of that class beside each other; they begin again after the fourth. */
export function attackShade(attackClass: string, index: number): string {
  const percent = (index % SHADES) * SHADE_PERCENT
  const colour = attackColour(attackClass)
  return percent === 0 ? colour : `color-mix(in oklab, ${colour}, var(--text) ${percent}%)`
}
