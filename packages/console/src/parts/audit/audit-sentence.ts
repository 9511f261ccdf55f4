/**
 * What an entry of the audit log says, as a sentence with names. Every action that there is has its words here: the type of the table
 * holds it. Names come from the entry where it has them, so that what is deleted keeps the name that it had, and otherwise from
 * what is known now.
 */
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '@sallyport/contract'
import { isolated } from '../../design/isolated.ts'
import { isRecord, type RecordedFields, recordOf, textIn } from './entry-fields.ts'
import { listDifference, ruleName } from './list-difference.ts'

/** What is known now of the name of a thing; undefined where nothing is. */
export type NameOf = (kind: string, id: string) => string | undefined

interface Said {
  /** The thing, by its name or by what it is. */
  readonly it: string
  readonly before: RecordedFields
  readonly after: RecordedFields
  readonly entry: AuditEntry
}

type Words = string | ((said: Said) => string)

const renamedSites = ({ it }: Said) => `changed which sites are in the group ${it}`

const WORDS: Readonly<Record<AuditAction, Words>> = {
  'site.create': ({ it }) => `added the site ${it}`,
  'site.update': (said) => `changed ${said.it}: ${fieldsOf(said)}`,
  'site.delete': ({ it }) => `removed ${it}`,
  'site.enable': ({ it }) => `opened ${it}`,
  'site.disable': ({ it }) => `closed ${it}`,
  'site.setBlockList': (said) =>
    `${listDifference(said.before.blockList, said.after.blockList, ruleName, 'the block rules')} of ${said.it}`,
  'site.setRateLimiting': ({ it, after }) => {
    const limit = textIn(after, 'rateLimit')
    return limit === ''
      ? `removed the rate limit from ${it}`
      : `set the rate limit of ${it} to ${isolated(limit)}`
  },
  'site.allowedHackerType': ({ it, after }) =>
    after.hasCustomList === true
      ? `restricted ${it} to the researchers on its list`
      : `opened ${it} to all active researchers`,
  'site.setHackers': ({ it, before, after }) =>
    `changed the researchers of ${it} from ${counted(before.ids)} to ${counted(after.ids)}`,
  'site.addHacker': ({ it, after }) => `added ${isolated(textIn(after, 'email'))} to the list of ${it}`,
  'site.removeHacker': ({ it, before }) =>
    `removed ${isolated(textIn(before, 'email')) || 'a researcher'} from the list of ${it}`,
  'site.setFirewall': (said) => firewallWords(said),
  'site.setRecordSettings': (said) => `changed what is recorded of ${said.it} (${fieldsOf(said)})`,
  'site.setForwarding': (said) => `changed what is forwarded to ${said.it} (${fieldsOf(said)})`,
  'site.setDefinition': ({ it }) => `uploaded the API definition of ${it}`,
  'site.removeDefinition': ({ it }) => `removed the API definition of ${it}`,
  'site.setDocument': ({ it, after }) => `uploaded the API definition ${documentIn(after)} of ${it}`,
  'site.removeDocument': ({ it, before }) => `removed the API definition ${documentIn(before)} of ${it}`,
  'site.restoreDocument': ({ it, after }) =>
    `restored an earlier version of the API definition ${documentIn(after)} of ${it}`,
  'site.confirmOperation': ({ it, after }) => `added ${operationIn(after)} to the API definition of ${it}`,
  'site.unconfirmOperation': ({ it, before }) =>
    `removed ${operationIn(before)} from the API definition of ${it}`,
  'site.learnRoutes': ({ it }) => `learned which operations the API of ${it} has`,
  'site.compileDefinition': ({ it }) => `recompiled the API definition of ${it} for its rule`,
  'site.proveOrigin': ({ it }) => `proved the origin of ${it}`,
  'site.forgetOriginProof': ({ it }) => `forgot the proof of the origin of ${it}`,
  'site.credentials.reveal': ({ it }) => `revealed the credentials of ${it}`,
  'savedView.create': ({ it }) => `saved the view ${it}`,
  'savedView.update': (said) => `changed the view ${said.it}: ${fieldsOf(said)}`,
  'savedView.remove': ({ it }) => `removed the view ${it}`,
  'siteGroup.create': ({ it }) => `created the group ${it}`,
  'siteGroup.rename': ({ it }) => `renamed a group to ${it}`,
  'siteGroup.setSites': renamedSites,
  'siteGroup.delete': ({ it }) => `removed the group ${it}`,
  'hacker.create': ({ it }) => `invited ${it}`,
  'hacker.createMany': ({ entry }) => `invited ${peopleIn(entry.after)}`,
  'hacker.update': (said) => `changed ${said.it}: ${fieldsOf(said)}`,
  'hacker.pause': ({ entry }) => `paused ${peopleIn(entry.before)}`,
  'hacker.resume': ({ entry }) => `resumed ${peopleIn(entry.before)}`,
  'hacker.expire': ({ entry }) => `ended the access of ${peopleIn(entry.before)}`,
  'hacker.remove': ({ it, entry }) =>
    Array.isArray(entry.before) ? `removed ${peopleIn(entry.before)}` : `removed ${it}`,
  'hacker.invite': ({ it }) => `created an invitation for ${it}`,
  'hacker.rotateKey': ({ it }) => `created a new key for ${it}`,
  'hacker.revokeKey': ({ it }) => `revoked a key of ${it}`,
  'hacker.endSessions': ({ it }) => `ended the sessions of ${it}`,
  'researcher.acceptInvitation': () => 'accepted an invitation',
  'project.create': ({ it }) => `created the project ${it}`,
  'project.replace': (said) => `changed the project ${said.it}: ${fieldsOf(said)}`,
  'project.delete': ({ it }) => `removed the project ${it}`,
  'projectItem.create': ({ it }) => `added the item ${it} to a project`,
  'projectItem.replace': (said) => `changed the item ${said.it}: ${fieldsOf(said)}`,
  'projectItem.delete': ({ it }) => `removed the item ${it} from a project`,
  'projectItem.setCheck': (said) => checkWords(said),
  'member.create': ({ it }) => `added the member ${it}`,
  'member.invite': ({ it }) => `invited the member ${it}`,
  'member.renewInvitation': ({ it }) => `renewed the invitation of the member ${it}`,
  'member.update': (said) => `changed the member ${said.it}: ${fieldsOf(said)}`,
  'member.remove': ({ it }) => `removed the member ${it}`,
  'member.bind': ({ it }) => `signed in as the member ${it} for the first time`,
  'member.signIn': () => 'signed in',
  'member.setPassword': () => 'chose a password',
  'member.changePassword': () => 'changed their password',
  'member.resetPassword': ({ it }) => `reset the password of the member ${it}`,
  'apiKey.create': ({ it }) => `created the API key ${it}`,
  'apiKey.update': (said) => `changed the API key ${said.it}: ${fieldsOf(said)}`,
  'apiKey.rotate': ({ it }) => `rotated the API key ${it}`,
  'apiKey.revoke': ({ it }) => `revoked the API key ${it}`,
  'organization.create': () => 'created the organization',
  'organization.update': (said) => `changed the organization: ${fieldsOf(said)}`,
  'organization.stop': () => 'stopped everything',
  'organization.resume': () => 'resumed everything',
  'organization.suspend': () => 'suspended the organization',
  'organization.unsuspend': () => 'ended the suspension of the organization',
  'organization.setPlan': (said) =>
    `moved the organization to the plan ${isolated(textIn(said.after, 'plan'))}`,
  'organization.setRetention': (said) =>
    `set the retention of the record to ${textIn(said.after, 'retentionDays')} days`,
  'credits.grant': 'granted credits',
  'credits.charge': 'charged credits',
  'billing.save': 'changed the billing details',
  'destination.create': ({ it }) => `added the notification destination ${it}`,
  'destination.update': (said) => `changed the notification destination ${said.it}: ${fieldsOf(said)}`,
  'destination.remove': ({ it }) => `removed the notification destination ${it}`,
  'destination.rotate': ({ it }) => `rotated the signing key of the notification destination ${it}`,
  'destination.confirm': ({ it }) => `confirmed the notification destination ${it}`,
  'destination.refuseCode': ({ it }) => `entered a wrong code for the notification destination ${it}`,
  'destination.test': ({ it }) => `sent a test notification to ${it}`,
  'destination.disable': ({ it }) => `disabled the notification destination ${it} after failed deliveries`,
  'delivery.replay': 'sent a notification again',
  'gateway.makeToken': 'created a token to enrol a gateway',
  'gateway.enroll': ({ it }) => `enrolled the gateway ${it}`,
  'gateway.renewCredential': ({ it }) => `renewed the credential of the gateway ${it}`,
  'gateway.revoke': ({ it }) => `revoked the gateway ${it}`,
  'gateway.forget': ({ it }) => `forgot the gateway ${it}`,
  'gateway.close': ({ it }) => `closed something at the gateway ${it}`,
  'gateway.open': ({ it }) => `opened something at the gateway ${it}`,
  'ruleSet.import': ({ it }) => `imported the rule set ${it}`,
  'ruleSet.remove': ({ it }) => `removed the rule set ${it}`,
  'policy.create': ({ it }) => `created the rate-limit policy ${it}`,
  'policy.change': ({ it }) => `changed the rate-limit policy ${it}`,
  'policy.remove': ({ it }) => `removed the rate-limit policy ${it}`,
  'plan.create': ({ it }) => `created the plan ${it}`,
  'plan.change': ({ it }) => `changed the plan ${it}`,
  'plan.remove': ({ it }) => `removed the plan ${it}`,
}

const documentIn = (recorded: RecordedFields): string => isolated(textIn(recorded, 'name'))
const operationIn = (recorded: RecordedFields): string =>
  isolated(`${textIn(recorded, 'method')} ${textIn(recorded, 'template')}`)

/** What was done, without who did it. An action that a newer version records is said to be one. */
export function auditSentence(entry: AuditEntry, nameOf: NameOf): string {
  const action = AUDIT_ACTIONS.find((known) => known === entry.action)
  if (!action) return 'performed an action that this console does not know'
  const words = WORDS[action]
  if (typeof words === 'string') return words
  return words({
    it: isolated(targetName(entry, nameOf)),
    before: recordOf(entry.before),
    after: recordOf(entry.after),
    entry,
  })
}

/** Of the kinds that a sentence does not say itself. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  site: 'a site',
  hacker: 'a researcher',
  destination: 'a destination',
}
/** Fields of an entry that name the thing, the best one first. */
const NAME_FIELDS = ['gatedName', 'email', 'name', 'url', 'address'] as const

/** Of a site: an entry may have the name of one of its documents. */
const SITE_NAME_FIELDS = ['gatedName'] as const

/** What the thing was called then, is called now, or else what it is. */
export function targetName({ target, before, after }: AuditEntry, nameOf: NameOf): string {
  const [now, old] = [recordOf(after), recordOf(before)]
  // Of an item of a project, what it was and is stands beside what its project was and is.
  for (const record of [now, old, recordOf(now.item), recordOf(old.item)])
    for (const field of target.kind === 'site' ? SITE_NAME_FIELDS : NAME_FIELDS) {
      const name = textIn(record, field)
      if (name !== '') return name
    }
  return nameOf(target.kind, target.id) ?? `${KIND_WORDS[target.kind] ?? ''} ${target.id}`.trim()
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  isEnabled: 'whether it is open',
  startDate: 'the opening time',
  stopDate: 'the closing time',
  originName: 'the origin',
  gatedName: 'the gated name',
  rateLimit: 'the rate limit',
  blockList: 'the block rules',
  hasCustomList: 'who may enter',
  credentials: 'the credentials',
  instructions: 'the instructions',
  paused: 'whether they are paused',
  expires: 'the end of their access',
  leaseSeconds: 'the lease',
  contact: 'the contact for researchers',
}

function fieldsOf({ before, after }: Said): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const words = names.map((name) => FIELD_WORDS[name] ?? spaced(name))
  return words.length === 0 ? 'nothing that is shown' : joined(words)
}

function firewallWords({ it, before, after }: Said): string {
  const mode = textIn(after, 'mode')
  if (mode !== '' && mode !== textIn(before, 'mode')) return `set the firewall of ${it} to ${isolated(mode)}`
  const has = (name: string) => after[name] !== undefined || before[name] !== undefined
  if (has('definition')) return definitionWords(it, recordOf(before.definition), recordOf(after.definition))
  if (has('level'))
    return `set the level of the firewall of ${it} to ${isolated(textIn(after, 'level')) || 'what it is by default'}`
  if (has('uninspected'))
    return `changed what becomes of requests to ${it} that could not be inspected to their end`
  for (const list of ['exclusions', 'overrides'] as const)
    if (has(list))
      return `${listDifference(before[list], after[list], ruleName, `the ${list} of the firewall`)} of ${it}`
  return `changed the firewall of ${it}`
}

function definitionWords(it: string, before: RecordedFields, after: RecordedFields): string {
  const [was, is] = [before, after].map((rule) => textIn(rule, 'mode') || 'off')
  return was === is
    ? `changed the API definition as a rule of ${it}`
    : `set the API definition as a rule of ${it} to ${isolated(is ?? '')}`
}

function checkWords(said: Said): string {
  const state = textIn(said.after, 'state')
  return state === ''
    ? `changed the check ${said.it}: ${fieldsOf(withoutName(said))}`
    : `set the check ${said.it} to ${isolated(spacedOut(state))}`
}

/** The name stands beside what changed, to say of what it was. */
const withoutName = ({
  before: { name: _old, ...before },
  after: { name: _new, ...after },
  ...said
}: Said): Said => ({
  ...said,
  before,
  after,
})

/** Names of the first few people of a list. */
function peopleIn(value: unknown): string {
  const people = Array.isArray(value) ? value.filter(isRecord) : []
  if (people.length === 0) return 'researchers'
  const shown = people.slice(0, 3).map((one) => isolated(textIn(one, 'email') || textIn(one, 'id')))
  const others = people.length - shown.length
  return joined(others > 0 ? [...shown, `${others} more`] : shown)
}

const spacedOut = (state: string): string => state.replaceAll('_', ' ')
const counted = (value: unknown): string => String(Array.isArray(value) ? value.length : 0)
const spaced = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** `a`, `a and b`, `a, b and c`. */
const joined = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
