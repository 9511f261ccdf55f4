/**
 * Which gated names sites may have: one label under the gate domain. A cookie can be set for a parent domain, and a
 * certificate for `*.<gate domain>` covers one label, so a name with more of them would share with its neighbours what
 * others keep to themselves.
 */
import { randomInt } from 'node:crypto'
import { HOST_CHARS_MAX } from '@sallyport/contract'
import { invalid } from '../../errors.ts'
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
  const refuse = (message: string) => invalid('/gatedName', message)
  const suffix = `.${rules.gateDomain}`
  const label = name.slice(0, -suffix.length)
  if (!name.endsWith(suffix) || label.includes('.') || name.length > HOST_CHARS_MAX || !HOST_NAME.test(name))
    throw refuse(`must be one label of letters, digits and hyphens under ${rules.gateDomain}`)
  // Two hyphens there are kept for encodings (RFC 5890, section 2.3.1): xn-- can look like any other name.
  if (label.slice(2, 4) === '--') throw refuse('must not have hyphens as its third and fourth letters')
  if (isReserved(label, rules)) throw refuse('is reserved')
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
