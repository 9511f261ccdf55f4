/** What needs attention, in words: what it is, and the one act that it leads to. */
import { type ATTENTION, type AttentionItem, type AttentionKind, attackWords } from '@sallyport/contract'
import { wholeNumber } from '../../../language/number.ts'
import { counted } from '../../../language/plural.ts'
import { reasonWords } from '../../../parts/traffic/code-words.ts'
import { type ClausePart, timesWords } from './sentence.ts'

const words = (text: string): ClausePart => ({ kind: 'words', text })
const name = (text: string | undefined): ClausePart => ({
  kind: 'name',
  text: text || 'something that was removed',
})
const code = (text: string): ClausePart => ({ kind: 'code', text })

/** By whom, where somebody is known for it. */
function senders({ researcher, researchers }: AttentionItem): ClausePart[] {
  if (researcher) return [words(', by '), name(researcher.name)]
  return researchers
    ? [words(`, by ${counted(researchers, { one: 'researcher', other: 'researchers' })}`)]
    : []
}

const SAID: Readonly<Record<AttentionKind, (item: AttentionItem) => ClausePart[]>> = {
  gateway_silent: ({ gateway }) => [words('Gateway '), name(gateway ?? ''), words(' has stopped reporting')],
  gateway_behind: ({ gateway }) => [
    words('Gateway '),
    name(gateway ?? ''),
    words(' is not running the latest settings'),
  ],
  gateway_journal_filling: ({ gateway }) => [
    words('Gateway '),
    name(gateway ?? ''),
    words(' has records it cannot deliver'),
  ],
  origin_failing: ({ site, value }) => [
    words('The origin of '),
    name(site?.name),
    words(' is failing'),
    ...(value ? [words(`: ${reasonWords(value).toLowerCase()}`)] : []),
  ],
  origin_error_after_hit: (item) => [
    code(item.route),
    words(' of '),
    name(item.site?.name),
    words(` answered ${item.status ?? '5xx'} to ${attackWords(item.value)} ${timesWords(item.count ?? 0)}`),
    ...senders(item),
  ],
  window_ending: ({ site }) => [words('The window of '), name(site?.name), words(' ends')],
  limit_exhausted: (item) => [
    words('The limit '),
    name(item.value),
    words(' of '),
    name(item.site?.name),
    words(` refused ${counted(item.count ?? 0, { one: 'request', other: 'requests' })}`),
    ...senders(item),
  ],
  new_address: ({ researcher, value, count }) => [
    name(researcher?.name),
    words(
      count === 1
        ? ' came from a new network: '
        : ` came from ${wholeNumber(count ?? 0)} new networks, last `,
    ),
    code(value),
  ],
  access_ending: ({ researcher }) => [words('The access of '), name(researcher?.name), words(' ends')],
  api_key_ending: ({ apiKey }) => [words('The API key '), name(apiKey?.name), words(' expires')],
  new_tool: ({ researcher, value, count }) => [
    name(researcher?.name),
    words(count === 1 ? ' used a new tool: ' : ` used ${wholeNumber(count ?? 0)} new tools, last `),
    code(value),
  ],
}

export const attentionParts = (item: AttentionItem): ClausePart[] => SAID[item.kind](item)

/** What the link of an item says. */
export const ACT_WORDS = {
  requests: 'View requests',
  site: 'Open site',
  researcher: 'Open researcher',
  gateways: 'Open gateways',
  apiKeys: 'Open API keys',
} as const satisfies Readonly<Record<(typeof ATTENTION)[AttentionKind]['leadsTo'], string>>

/** Kinds in the plural, for what is counted and not listed, or not told. */
export const KIND_WORDS: Readonly<Record<AttentionKind, string>> = {
  gateway_silent: 'silent gateways',
  gateway_behind: 'gateways on older settings',
  gateway_journal_filling: 'gateways with undelivered records',
  origin_failing: 'failing origins',
  origin_error_after_hit: 'routes that answered 5xx to attacks',
  window_ending: 'windows that end soon',
  limit_exhausted: 'exhausted rate limits',
  new_address: 'researchers on new networks',
  access_ending: 'researchers whose access ends soon',
  api_key_ending: 'API keys that expire soon',
  new_tool: 'researchers with new tools',
}
