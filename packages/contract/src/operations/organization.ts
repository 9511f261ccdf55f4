/** The organization: who is calling, what it may use, its credits, its billing details, its kill switch. */
import { z } from 'zod'
import { email, pageOf, pageQuery, text } from '../fields.ts'
import { CONTACT_CHARS_MAX, NAME_CHARS_MAX } from '../limits.ts'
import { ROLES } from '../permissions.ts'
import { rateLimitPolicy } from '../rules/rate-limit-policies.ts'
import { LEASE_DEFAULT_SECONDS, LEASE_SECONDS_MAX, LEASE_SECONDS_MIN } from '../snapshot/lease.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'

const CREDITS_MAX = 1_000_000_000

export const profile = z.object({ email: z.string(), token: z.string(), tenant: z.string() })
export type Profile = z.infer<typeof profile>
export const organization = z.object({ id: z.string(), credits: z.int() })

export const organizationDetails = organization.extend({
  name: z.string(),
  plan: z.string(),
  creationDate: z.iso.datetime(),
  /** Suspended by the operator: nothing of it is served. */
  isSuspended: z.boolean(),
  /** Stopped by its own kill switch: nothing of it is served. */
  isStopped: z.boolean(),
  stoppedDate: z.iso.datetime().nullable(),
  stoppedBy: z.string().nullable(),
  /** How long gateways that cannot reach the control plane go on serving its sites, seconds; null for ever. */
  leaseSeconds: z.int().nullable(),
  /** Whom researchers ask: an e-mail address or the address of a page; empty for nobody. */
  contact: z.string(),
  /** A gateway that may still serve runs a configuration from before its last change. */
  isDeploymentProgress: z.boolean(),
})
export type OrganizationDetails = z.infer<typeof organizationDetails>

const callerRole = z.object({
  kind: z.enum(['user', 'api-key']),
  userId: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  permissions: z.array(z.string()),
  /** Of the control plane. */
  version: z.string(),
})

/** What the frame of every page is made of. */
export const callerSession = z.object({
  caller: callerRole,
  /** Absent where the role may not read it. */
  organization: organizationDetails.optional(),
})
export type CallerSession = z.infer<typeof callerSession>

const leaseSeconds = z.int().min(LEASE_SECONDS_MIN).max(LEASE_SECONDS_MAX).nullable()

/** As a browser reads it, without a name or password in it. */
const httpsAddress = text(CONTACT_CHARS_MAX).refine((value) => {
  const url = URL.parse(value)
  return (
    url?.protocol === 'https:' &&
    url.username === '' &&
    url.password === '' &&
    /^https:[/][/][!-~]+$/.test(value)
  )
})

/** Shown to researchers, as a link: so nothing that runs, and no page that somebody on the way could change. */
const contact = z.union([email, httpsAddress, z.literal('')], {
  error: 'must be an e-mail address, an address that begins with https://, or empty',
})

const billingText = text(NAME_CHARS_MAX)
const billingFields = {
  bussinessName: billingText,
  vat: billingText,
  address: billingText,
  addressLine2: billingText,
  city: billingText,
  zipCode: billingText,
  country: billingText,
  state: billingText,
  email: email.or(z.literal('')),
}
const billingInput = z.object(billingFields).partial()
export const billing = z.object({
  bussinessName: z.string(),
  vat: z.string(),
  address: z.string(),
  addressLine2: z.string(),
  city: z.string(),
  zipCode: z.string(),
  country: z.string(),
  state: z.string(),
  email: z.string(),
})
export type Billing = z.infer<typeof billing>

/** One entry of the append-only credit ledger. */
export const creditEntry = z.object({
  id: z.string(),
  /** Positive for a grant, negative for a charge. */
  amount: z.int(),
  /** The balance after it. */
  balance: z.int(),
  reason: z.string(),
  createdBy: z.string(),
  creationDate: z.iso.datetime(),
})
export type CreditEntry = z.infer<typeof creditEntry>

const exampleProfile = { email: EXAMPLE.ownerEmail, token: 'eyJ…', tenant: EXAMPLE.orgId }
const exampleBilling = {
  bussinessName: 'Example Shop Ltd',
  vat: 'GB123456789',
  address: '1 High Street',
  addressLine2: '',
  city: 'London',
  zipCode: 'SW1A 1AA',
  country: 'GB',
  state: '',
  email: 'billing@example.com',
}
const exampleDetails = {
  id: EXAMPLE.orgId,
  credits: 120,
  name: 'Example Shop',
  plan: 'standard',
  creationDate: EXAMPLE.time,
  isSuspended: false,
  isStopped: false,
  stoppedDate: null,
  stoppedBy: null,
  leaseSeconds: LEASE_DEFAULT_SECONDS,
  contact: 'security@example.com',
  isDeploymentProgress: false,
}
const exampleCaller = {
  kind: 'user' as const,
  userId: EXAMPLE.userId,
  email: EXAMPLE.ownerEmail,
  role: 'viewer' as const,
  permissions: ['sites:read'],
  version: '1.0.0',
}
const exampleCredit = {
  id: EXAMPLE.requestId,
  amount: -30,
  balance: 120,
  reason: 'Winter test, report 7',
  createdBy: EXAMPLE.ownerEmail,
  creationDate: EXAMPLE.time,
}

export const organizationOperations = declareOperations({
  accountGetProfileDetails: {
    path: '/api/Account/getProfileDetails',
    summary: 'Read the profile of the caller',
    description:
      'The same as currentUser. `token` is the bearer token presented, `tenant` the organization. With an API key, `email` is that of the account that created it, or of an owner of the organization where the operator did.',
    permission: 'account:read',
    extension: false,
    response: profile,
    examples: { response: exampleProfile },
  },
  accountCurrentUser: {
    path: '/api/Account/currentUser',
    summary: 'Read the profile of the caller',
    description: 'The same as getProfileDetails.',
    permission: 'account:read',
    extension: false,
    response: profile,
    examples: { response: exampleProfile },
  },
  accountGetRole: {
    path: '/api/Account/role',
    summary: 'Read what the caller may do',
    description:
      'The role of the token and the permissions that it includes. `version` is that of the control plane.',
    permission: 'account:read',
    response: callerRole,
    examples: { response: exampleCaller },
  },
  accountGetSession: {
    path: '/api/Account/session',
    summary: 'Read what the caller may do, and the organization',
    description:
      'What `role` and the details of the organization answer, in one call: a page asks it again and again, to know of a changed role and of the kill switch. `organization` is absent where the role may not read it.',
    permission: 'account:read',
    response: callerSession,
    examples: { response: { caller: exampleCaller, organization: exampleDetails } },
  },
  organizationGet: {
    path: '/api/Organization',
    summary: 'Read the organization and its credit balance',
    description: '`credits` is the balance of the credit ledger.',
    permission: 'organization:read',
    extension: false,
    response: organization,
    examples: { response: { id: EXAMPLE.orgId, credits: 120 } },
  },
  organizationGetDetails: {
    path: '/api/Organization/details',
    summary: 'Read the organization with its plan and its kill switch',
    description: 'Everything that the organization itself may know of its record.',
    permission: 'organization:read',
    response: organizationDetails,
    versioned: true,
    examples: { response: exampleDetails },
  },
  organizationUpdate: {
    method: 'PATCH',
    path: '/api/Organization/details',
    summary: 'Rename the organization, or set its lease or its contact',
    description:
      'Only the fields that are given change. `leaseSeconds` says how long a gateway that the control plane cannot reach goes on serving the sites of the organization: from 10 up, or null for ever. It is 120 unless set. `contact` is whom researchers ask, shown on the gate: an e-mail address, an address that begins with `https://`, or nothing.',
    permission: 'organization:write',
    body: z.object({ name: text(NAME_CHARS_MAX).min(1), leaseSeconds, contact }).partial(),
    response: organizationDetails,
    versioned: true,
    examples: { body: { name: 'Example Shop' }, response: exampleDetails },
  },
  organizationStop: {
    method: 'POST',
    path: '/api/Organization/stop',
    summary: 'Kill switch: close every site of the organization',
    description:
      'Nothing of the organization is served until it is resumed; running requests and WebSockets are cut within a second. The settings of the sites stay as they are. Stopping twice changes nothing.',
    permission: 'sites:write',
    response: organizationDetails,
    versioned: true,
    examples: {
      response: {
        ...exampleDetails,
        isStopped: true,
        stoppedDate: EXAMPLE.time,
        stoppedBy: EXAMPLE.ownerEmail,
      },
    },
  },
  organizationResume: {
    method: 'POST',
    path: '/api/Organization/resume',
    summary: 'Undo the kill switch',
    description: 'Each site is open again exactly as its own settings say.',
    permission: 'sites:write',
    response: organizationDetails,
    versioned: true,
    examples: { response: exampleDetails },
  },
  organizationListCredits: {
    path: '/api/Organization/credits',
    summary: 'Read the credit ledger',
    description:
      'Newest first. The ledger is append-only: grants are made by the operator, charges by `charge`.',
    permission: 'billing:read',
    query: z.object(pageQuery),
    response: pageOf(creditEntry),
    examples: { response: { items: [exampleCredit], next: null } },
  },
  organizationChargeCredits: {
    method: 'POST',
    path: '/api/Organization/charge',
    summary: 'Charge credits',
    description:
      'Takes `amount` from the balance and appends it to the ledger; 409 `insufficient_credits` where the balance is too low. The balance is never negative.',
    permission: 'billing:write',
    body: z.object({ amount: z.int().min(1).max(CREDITS_MAX), reason: text(NAME_CHARS_MAX).min(1) }),
    response: creditEntry,
    status: 201,
    idempotent: true,
    examples: { body: { amount: 30, reason: 'Winter test, report 7' }, response: exampleCredit },
  },
  billingSave: {
    method: 'POST',
    path: '/api/Billing',
    summary: 'Replace the billing details',
    description: 'Replaces the whole record: a field that is absent becomes empty.',
    permission: 'billing:write',
    extension: false,
    body: billingInput,
    response: billing,
    versioned: true,
    examples: { body: exampleBilling, response: exampleBilling },
  },
  billingGet: {
    path: '/api/Billing',
    summary: 'Read the billing details',
    description: 'Empty strings where nothing was saved yet.',
    permission: 'billing:read',
    response: billing,
    versioned: true,
    examples: { response: exampleBilling },
  },
  rateLimitPoliciesList: {
    path: '/api/RateLimitPolicies',
    summary: 'List the rate-limit policies of the plan',
    description: 'The names that `rateLimit` of a site may take, with what they mean.',
    permission: 'policies:read',
    query: z.object(pageQuery),
    response: pageOf(rateLimitPolicy),
    examples: {
      response: {
        items: [
          { name: 'fixed', site: { kind: 'fixed', limit: 600, windowMs: 60_000 }, perResearcher: null },
        ],
        next: null,
      },
    },
  },
})
