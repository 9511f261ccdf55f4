/**
 * Takes back a change by its entry in the audit log. An undo is an ordinary write by the operations that there are: it reads the thing
 * as it is now, writes with `If-Match`, and refuses where what the entry set has been changed since. Lists are merged, so
 * that what others added stays.
 */
import {
  type AuditEntry,
  type BlockRule,
  BULK_HACKERS_MAX,
  firewallSettings,
  type Permission,
  type Site,
  storedBlockRules,
} from '@sallyport/contract'
import type { Api, CallOptions } from '../../api/api.tsx'
import { mergeLists, readModifyWrite } from '../../api/concurrent-edits.ts'
import { EditConflict } from '../../api/error-words.ts'
import { isolated } from '../../design/isolated.ts'
import { type NameOf, targetName } from './audit-sentence.ts'
import { requireUnchangedFields, requireUnchangedListing, requireUnchangedPauses } from './changed-since.ts'
import { isRecord, type RecordedFields, recordOf, textIn } from './entry-fields.ts'
import { listDifference, ruleName } from './list-difference.ts'
import { texts } from './texts.ts'

export interface Undo {
  /** What it would set, and what it opens again. */
  readonly words: string
  readonly permission: Permission
  readonly run: (api: Api) => Promise<unknown>
}

/** Undefined where a change cannot be taken back. */
export function undoOf(entry: AuditEntry, nameOf: NameOf): Undo | undefined {
  const it = isolated(targetName(entry, nameOf))
  const id = entry.target.id
  const [before, after] = [recordOf(entry.before), recordOf(entry.after)]
  const onSite = (words: string, run: Undo['run'], permission: Permission = 'sites:write'): Undo => ({
    words,
    permission,
    run,
  })
  switch (entry.action) {
    case 'site.setBlockList':
      return onSite(texts.setsTheBlockRules(it, reopened(before, after)), (api) =>
        changeSite(api, id, (site, options) => {
          const merged = mergeBack(
            rulesIn(after.blockList),
            rulesIn(before.blockList),
            rulesIn(site.blockList),
          )
          return api.call('sitesSetBlockList', { body: { id, blockList: JSON.stringify(merged) } }, options)
        }),
      )
    case 'site.setRateLimiting': {
      const limit = textIn(before, 'rateLimit')
      const words = limit === '' ? texts.takesTheLimitOffAgain(it) : texts.limitsByAgain(it, limit)
      return onSite(words, (api) =>
        changeSite(api, id, async (site, options) => {
          if (site.rateLimit !== textIn(after, 'rateLimit')) throw new EditConflict()
          await requireUnchangedFields(api, entry, ['rateLimit'])
          return api.call('sitesSetRateLimiting', { body: { id, rateLimit: limit } }, options)
        }),
      )
    }
    case 'site.allowedHackerType': {
      if (typeof before.hasCustomList !== 'boolean') return undefined
      const listed = before.hasCustomList
      const words = listed ? texts.onlyTheListMay(it) : texts.opensToEveryActive(it)
      return onSite(words, (api) =>
        changeSite(api, id, async (site, options) => {
          if (site.hasCustomList === listed) throw new EditConflict()
          await requireUnchangedFields(api, entry, ['hasCustomList'])
          return api.call('sitesAllowedHackerType', { body: { id, allowedHackerType: listed } }, options)
        }),
      )
    }
    case 'site.setHackers': {
      const [old, set] = [idsIn(before.ids), idsIn(after.ids)]
      const back = old.filter((one) => !set.includes(one))
      const off = set.filter((one) => !old.includes(one))
      return onSite(texts.opensToAgain(it, back.length, off.length), (api) =>
        restoreList(api, entry, back, off),
      )
    }
    case 'site.setFirewall':
      return onSite(
        texts.setsTheFirewallOfBack(it, opened(before, after)),
        (api) => restoreFirewall(api, entry, before, after),
        'firewall:write',
      )
    case 'site.disable':
      return before.isEnabled === true
        ? onSite(texts.opensAgain(it), (api) =>
            changeSite(api, id, async (site, options) => {
              if (site.isActive) throw new EditConflict()
              await requireUnchangedFields(api, entry, OPENING)
              const stopDate = textIn(before, 'stopDate')
              const body = { isActive: true, ...(stopDate !== '' && { stopDate }) }
              return api.call('sitesUpdate', { params: { id }, body }, options)
            }),
          )
        : undefined
    case 'site.enable':
      return onSite(texts.closesAgain(it), (api) =>
        changeSite(api, id, async (site, options) => {
          if (!site.isActive) throw new EditConflict()
          await requireUnchangedFields(api, entry, OPENING)
          return api.call('sitesDisable', { params: { id } }, options)
        }),
      )
    case 'hacker.pause':
    case 'hacker.resume': {
      const wasPaused = entry.action === 'hacker.resume'
      const ids = peopleIn(entry.before).filter((one) => one.paused === wasPaused)
      const action = wasPaused ? 'pause' : 'resume'
      return ids.length === 0
        ? undefined
        : {
            words: wasPaused
              ? texts.pausesAgain(texts.researchers(ids.length))
              : texts.letsInAgainWherever(texts.researchers(ids.length)),
            permission: 'researchers:write',
            run: async (api) => {
              await requireUnchangedPauses(
                api,
                entry,
                ids.map((one) => textIn(one, 'id')),
              )
              for (let first = 0; first < ids.length; first += BULK_HACKERS_MAX) {
                const some = ids.slice(first, first + BULK_HACKERS_MAX).map((one) => textIn(one, 'id'))
                await api.call('hackersBulk', { body: { action, ids: some } })
              }
            },
          }
    }
    default:
      return undefined
  }
}

/** What says whether a site is open. */
const OPENING = ['isEnabled', 'startDate', 'stopDate']

const changeSite = (
  api: Api,
  id: string,
  write: (site: Site, options: CallOptions) => Promise<unknown>,
): Promise<unknown> => readModifyWrite(() => api.callVersioned('sitesGet', { params: { id } }), write)

function restoreList(api: Api, entry: AuditEntry, back: readonly string[], off: readonly string[]) {
  const params = { id: entry.target.id }
  return readModifyWrite(
    () => api.callVersioned('sitesGetHackers', { params }),
    async (now, options) => {
      await requireUnchangedListing(api, entry, [...back, ...off])
      const ids = [...new Set([...now.ids.filter((one) => !off.includes(one)), ...back])]
      return api.call('sitesSetHackers', { params, body: { ids } }, options)
    },
  )
}

/** What was added closes nothing once it is taken away. */
const reopened = (before: RecordedFields, after: RecordedFields): string =>
  listDifference(before.blockList, after.blockList, ruleName, 'them').startsWith('added')
    ? texts.pathsThatTheyClosed
    : ''

function opened(before: RecordedFields, after: RecordedFields): string {
  const ends = (old: RecordedFields, set: RecordedFields) => set.mode === 'enforce' && old.mode !== 'enforce'
  if (ends(before, after)) return texts.itRefusesNothingAnyMore
  return ends(recordOf(before.definition), recordOf(after.definition)) ? texts.theApiDefinitionRefuses : ''
}

/** What is set as a whole; a value that was not said is left out. */
const WHOLES = ['mode', 'level', 'uninspected', 'definition'] as const

function restoreFirewall(
  api: Api,
  entry: AuditEntry,
  before: RecordedFields,
  after: RecordedFields,
): Promise<unknown> {
  const params = { id: entry.target.id }
  const changed = WHOLES.filter((name) => before[name] !== undefined || after[name] !== undefined)
  return readModifyWrite(
    () => api.callVersioned('sitesGetFirewall', { params }),
    async (now, options) => {
      const next: Record<string, unknown> = { ...now }
      if (changed.length > 0) await requireUnchangedFields(api, entry, changed)
      for (const name of changed) {
        if (!isSame(now[name], after[name])) throw new EditConflict()
        next[name] = before[name]
      }
      const was = firewallSettings.parse({ ...now, ...listsOf(before) })
      const is = firewallSettings.parse({ ...now, ...listsOf(after) })
      const present = firewallSettings.parse(now)
      const overrides = mergeBack(is.overrides, was.overrides, present.overrides)
      const exclusions = mergeBack(is.exclusions, was.exclusions, present.exclusions)
      const body = firewallSettings.parse({ ...next, overrides, exclusions })
      return api.call('sitesSetFirewall', { params, body }, options)
    },
  )
}

interface Listed {
  readonly id: string
}

/** Takes back in a list as it is `now` what was set of it. Throws where somebody has changed that since. */
function mergeBack<Item extends Listed>(
  set: readonly Item[],
  before: readonly Item[],
  now: readonly Item[],
): Item[] {
  const itemOf = (list: readonly Item[], id: string) => list.find((item) => item.id === id)
  for (const { id } of [...before, ...set]) {
    const [was, is, present] = [itemOf(before, id), itemOf(set, id), itemOf(now, id)]
    const isTakenBack = isSame(present, was)
    if (!isSame(was, is) && !isTakenBack && !isAsSet(was, is, present)) throw new EditConflict()
  }
  return mergeLists(set, before, now)
}

/** Of what is there before and after, the fields that were set; what else somebody has changed of it stays. */
function isAsSet(was: Listed | undefined, is: Listed | undefined, present: Listed | undefined): boolean {
  if (!was || !is || !present) return isSame(present, is)
  const [before, after, now] = [recordOf(was), recordOf(is), recordOf(present)]
  return Object.keys({ ...before, ...after }).every(
    (name) => isSame(before[name], after[name]) || isSame(now[name], after[name]),
  )
}

/** By value, in whatever order the fields stand. */
const isSame = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other)
const sorted = (value: unknown): string =>
  JSON.stringify(isRecord(value) ? Object.entries(value).toSorted() : value) ?? ''

const listsOf = ({ overrides, exclusions }: RecordedFields): RecordedFields => ({
  ...(overrides !== undefined && { overrides }),
  ...(exclusions !== undefined && { exclusions }),
})

const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
const peopleIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

function rulesIn(value: unknown): BlockRule[] {
  if (typeof value !== 'string' || value === '') return []
  const parsed = storedBlockRules.parse(JSON.parse(value))
  return parsed.flatMap(({ id, ...rule }) => (id === undefined ? [] : [{ id, ...rule }]))
}
