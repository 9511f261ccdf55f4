/**
 * Which gated names sites may have: one label under the gate domain. A cookie can be set for a parent domain, and a
 * certificate for `*.<gate domain>` covers one label, so a name with more of them would share with its neighbours what
 * others keep to themselves. That is what a group is for: its sites are one application, and lie under its label.
 */
import { randomInt } from 'node:crypto'
import { HOST_CHARS_MAX } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'
import { invalid, ProblemError } from '../../errors.ts'
import { HOST_NAME, type SiteOrigin } from './origin.ts'

/** Where sites may be, and what is there already. */
export interface GatedNameRules {
  readonly gateDomain: string
  /** The gate's own host, whatever it is; no site can be there. */
  readonly gateHost: string
}

/** Labels that a site would be trusted for, or asked for secrets at, by people or programs that meant somebody else. */
const RESERVED: ReadonlySet<string> = new Set([
  // The gate's own host, where the operator has not named another: it may move there.
  'sallyport',
  // What people type for the domain itself.
  'www',
  // Where an operator puts the control plane, and people expect it.
  'api',
  'admin',
  'console',
  // Where a page may ask for a password and be believed.
  'account',
  'accounts',
  'auth',
  'id',
  'login',
  'signin',
  'sso',
  // Where mail programs send passwords without being asked (autodiscover and autoconfig, by the address alone).
  'autoconfig',
  'autodiscover',
  'imap',
  'mail',
  'pop',
  'smtp',
  // The mail policy of the domain (RFC 8461), and the proxy configuration that programs look for by themselves.
  'isatap',
  'mta-sts',
  'wpad',
])

const LABEL_CHARS_MAX = 63
const SUFFIX_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const SUFFIX_CHARS = 5

/**
 * Checks a gated name that was asked for. Throws a 400. What the site has already (`present`) it keeps, also where it would
 * not be given today.
 */
export function readGatedName(gatedName: string, rules: GatedNameRules, present?: string): string {
  const name = gatedName.trim().toLowerCase()
  if (name === present) return name
  if (isReserved(labelUnder(name, rules.gateDomain, '/gatedName'), rules))
    throw invalid('/gatedName', 'is reserved')
  return name
}

/** The one label that a name has before a domain. Throws a 400. */
function labelUnder(name: string, domain: string, path: string): string {
  const suffix = `.${domain}`
  const label = name.slice(0, -suffix.length)
  if (!name.endsWith(suffix) || label.includes('.') || name.length > HOST_CHARS_MAX || !HOST_NAME.test(name))
    throw invalid(path, `must be one label of letters, digits and hyphens under ${domain}`)
  // Two hyphens there are kept for encodings (RFC 5890, section 2.3.1): xn-- can look like any other name.
  if (label.slice(2, 4) === '--') throw invalid(path, 'must not have hyphens as its third and fourth letters')
  return label
}

/** Checks the name of a group of sites, as that of a site. Throws a 400. The gate's own host must not lie under it. */
export function readGroupName(gatedName: string, rules: GatedNameRules): string {
  const name = readGatedName(gatedName, rules)
  if (rules.gateHost.endsWith(`.${name}`)) throw invalid('/gatedName', 'is reserved')
  return name
}

/**
 * The gated name of a label in a group, which is `*` for a wildcard. Throws a 400. A group is one owner's, so nothing there is
 * reserved.
 */
export function nameUnder(label: string, groupName: string, path: string): string {
  const name = `${label.trim().toLowerCase()}.${groupName}`
  if (!isWildcardHost(name)) labelUnder(name, groupName, path)
  return name
}

/** Checks a gated name that was asked for a site of a group; `present` is its name now. Throws a 400. */
export function readNameInGroup(gatedName: string, present: string): string {
  const name = gatedName.trim().toLowerCase()
  if (name === present) return name
  if (isWildcardHost(present)) throw invalid('/gatedName', `must stay ${present}, as of any wildcard`)
  labelUnder(name, present.slice(present.indexOf('.') + 1), '/gatedName')
  return name
}

/** Makes a gated name of an origin: `shop.example.com` becomes `shop-example-com` under the gate domain. */
export function gatedNameOf(origin: SiteOrigin, rules: GatedNameRules): string {
  const label = labelOf(origin)
  return `${isReserved(label, rules) ? `${label}-site` : label}.${rules.gateDomain}`
}

/** Another name where a site has the first; drawn at random, so that it discloses nothing of what others have. */
export function drawGatedName(origin: SiteOrigin, { gateDomain }: GatedNameRules): string {
  const suffix = Array.from({ length: SUFFIX_CHARS }, () => SUFFIX_DIGITS[randomInt(SUFFIX_DIGITS.length)])
  return `${labelOf(origin)}-${suffix.join('')}.${gateDomain}`
}

const isReserved = (label: string, { gateDomain, gateHost }: GatedNameRules): boolean =>
  RESERVED.has(label) || `${label}.${gateDomain}` === gateHost

/** Every run of other characters becomes one hyphen, so that no label has two beside each other. */
function labelOf({ host }: SiteOrigin): string {
  const label = host
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LABEL_CHARS_MAX - SUFFIX_CHARS - 1)
  return label.replace(/-$/, '') || 'site'
}

/** Throws a 409 for the error of a statement by which a site or a group would have taken a name that is there already. */
export function refuseTakenName(error: unknown): never {
  const isTaken = error instanceof Error && 'constraint' in error && error.constraint === 'gated_names_pkey'
  throw isTaken ? new ProblemError('gated_name_taken', { cause: error }) : error
}
