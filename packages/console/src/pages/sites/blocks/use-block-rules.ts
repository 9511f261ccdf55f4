import { type BlockRule, blockRules, type Site, storedBlockRules } from '@sallyport/contract'
import { useMemo, useState } from 'react'
import { mergeLists, readModifyWrite } from '../../../api/concurrent-edits.ts'
import { useSiteChange } from '../../../api/queries/site-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { texts } from './texts.ts'

/** The rules that an edit began with, and what it made of them; others may have changed the list meanwhile. */
interface RuleEdits {
  readonly before: readonly BlockRule[]
  readonly after: readonly BlockRule[]
}

/** The block rules of a site with the edits that are not saved yet. */
export function useBlockRules(site: Site) {
  const notices = useNotices()
  const saved = useMemo(() => readRules(site.blockList), [site.blockList])
  const [edits, setEdits] = useState<RuleEdits>({ before: [], after: [] })
  const rules = useMemo(() => mergeLists(edits.before, edits.after, saved), [edits, saved])
  const problems = useMemo(() => problemsOf(rules), [rules])
  const setRules = (after: readonly BlockRule[]) => setEdits({ before: saved, after })
  const change = useSiteChange((api, { before, after }: RuleEdits) =>
    readModifyWrite(
      () => api.callVersioned('sitesGet', { params: { id: site.id } }),
      (now, options) => {
        const blockList = JSON.stringify(mergeLists(before, after, readRules(now.blockList)))
        return api.call('sitesSetBlockList', { body: { id: site.id, blockList } }, options)
      },
    ),
  )
  const save = () => {
    const sent = { before: saved, after: rules }
    const saving = change.mutateAsync(sent).then(() =>
      // Edits made while these were saved are still to be saved.
      setEdits((now) => ({ before: sent.after, after: now === edits ? sent.after : now.after })),
    )
    notices.whenDone(saving, texts.blockRulesSaved, () =>
      change.mutateAsync({ before: sent.after, after: sent.before }),
    )
  }
  return {
    rules,
    problems,
    isUnsaved: JSON.stringify(rules) !== JSON.stringify(saved),
    isSaving: change.isPending,
    save,
    add: () => setRules([...rules, newRule()]),
    edit: (id: string, part: Partial<BlockRule>) =>
      setRules(rules.map((rule) => (rule.id === id ? { ...rule, ...part } : rule))),
    remove: (id: string) => setRules(rules.filter((rule) => rule.id !== id)),
  }
}

const newRule = (): BlockRule => ({
  id: crypto.randomUUID(),
  pathPrefix: '/',
  methods: [],
  status: 403,
  enabled: true,
})

/** The rules in a site's `blockList`; the server stores none that does not parse. */
function readRules(blockList: string): readonly BlockRule[] {
  if (blockList === '') return []
  const parsed = storedBlockRules.safeParse(JSON.parse(blockList))
  return parsed.success ? parsed.data.map((rule) => ({ ...rule, id: rule.id ?? crypto.randomUUID() })) : []
}

/** What is wrong with each rule, by its position. */
function problemsOf(rules: readonly BlockRule[]): ReadonlyMap<number, string> {
  const parsed = blockRules.safeParse(rules)
  const issues = parsed.success ? [] : parsed.error.issues
  return new Map(issues.map((issue) => [Number(issue.path[0]), issue.message]))
}
