/**
 * The order in which things need attention. Severity comes first, then the place of the kind in the table of kinds; of one kind
 * what ends sooner, then what happened more often, then what happened last. The rest is by name, so that the list stands still.
 */
import {
  ATTENTION_ITEMS_MAX,
  ATTENTION_KINDS,
  ATTENTION_OF_KIND_MAX,
  type AttentionItem,
  type AttentionKind,
  SEVERITIES,
} from '@sallyport/contract'

/** The most urgent first, so many of a kind and in all as an answer may have. */
export function rankAttention(items: readonly AttentionItem[]): AttentionItem[] {
  const listed = new Map<AttentionKind, number>()
  return items
    .toSorted(compareAttention)
    .filter(({ kind }) => {
      const place = (listed.get(kind) ?? 0) + 1
      listed.set(kind, place)
      return place <= ATTENTION_OF_KIND_MAX
    })
    .slice(0, ATTENTION_ITEMS_MAX)
}

export function compareAttention(left: AttentionItem, right: AttentionItem): number {
  return (
    SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
    ATTENTION_KINDS.indexOf(left.kind) - ATTENTION_KINDS.indexOf(right.kind) ||
    endOf(left) - endOf(right) ||
    (right.count ?? -1) - (left.count ?? -1) ||
    lastOf(right) - lastOf(left) ||
    compareCodes(nameOf(left), nameOf(right))
  )
}

/** What has no end comes after all that has one; two without one are equal. */
const endOf = ({ ends }: AttentionItem): number =>
  ends === null ? Number.MAX_SAFE_INTEGER : Date.parse(ends)

const lastOf = ({ since, lastSeen }: AttentionItem): number => Date.parse(lastSeen ?? since ?? '') || 0

const nameOf = ({ site, researcher, gateway, apiKey, route, value }: AttentionItem): string =>
  [site?.name, researcher?.name, gateway, apiKey?.name, route, value].join(' ')

/** By code unit: to the order of a language, names that differ in what is not seen are equal. */
const compareCodes = (left: string, right: string): number => Number(left > right) - Number(left < right)
