/** Checks between the wire and their columns, and what is asked of one before it is stored. */
import {
  CHECK_SITES_MAX,
  CHECK_TIES_CHARS_MAX,
  type Check,
  type CheckInput,
  type CheckTieInput,
  isCheckClosed,
  STATES_WITH_REASON,
} from '@sallyport/contract'
import { invalid } from '../../../errors.ts'
import type { CheckColumns, CheckRow, StoredTie } from './store.ts'

/** Throws a 400 that names the field. */
export function requireWhole({ state, note, attackClasses, ties }: CheckInput): void {
  if (STATES_WITH_REASON.includes(state) && note.trim() === '')
    throw invalid('/note', `must say why, as the state is ${state}`)
  const seen = new Set<string>()
  for (const [index, tie] of ties.entries()) {
    if (seen.has(tieKey(tie))) throw invalid(`/ties/${index}`, 'is there already')
    seen.add(tieKey(tie))
  }
  const chars = ties.reduce((sum, { method = '', template = '' }) => sum + method.length + template.length, 0)
  if (chars > CHECK_TIES_CHARS_MAX)
    throw invalid('/ties', `must have ${CHECK_TIES_CHARS_MAX} characters of methods and templates at most`)
  if (new Set(ties.map(({ siteId }) => siteId)).size > CHECK_SITES_MAX)
    throw invalid('/ties', `must be of ${CHECK_SITES_MAX} sites at most`)
  if (new Set(attackClasses).size < attackClasses.length) throw invalid('/attackClasses', 'names one twice')
}

export const tieKey = ({ siteId, method, template }: CheckTieInput | StoredTie): string =>
  JSON.stringify([siteId, method ?? '', template ?? ''])

export const checkColumns = (input: CheckInput): CheckColumns => ({
  check_state: input.state,
  due_date: input.dueDate,
  check_note: input.note,
  attack_classes: input.attackClasses,
  ties: input.ties.map(presentTie),
})

const presentTie = ({ siteId, method, template }: CheckTieInput | StoredTie): StoredTie => ({
  siteId,
  ...(method !== undefined && template !== undefined && { method, template }),
})

export const presentCheck = (row: CheckRow): Check => ({
  // Only what the contract knows is ever stored.
  state: row.check_state as Check['state'],
  dueDate: row.due_date,
  note: row.check_note,
  attackClasses: row.attack_classes as Check['attackClasses'],
  ties: row.ties.map(presentTie),
})

/** Whether the day by which it is due has passed; `today` is one, too, as the caller's time zone has it. */
export const isOverdue = ({ state, dueDate }: Check, today: string): boolean =>
  dueDate !== null && dueDate < today && !isCheckClosed(state)
