/** The block rules of a site as the original interface writes them: every rule names its methods, `*` where it covers all. */
import { storedBlockRules } from '@sallyport/contract'

/** The `blockList` of a site as `blockListJson`. */
export const blockListJsonOf = (blockList: string): string =>
  JSON.stringify(
    storedBlockRules
      .parse(JSON.parse(blockList || '[]'))
      .map((rule) => ({ ...rule, methods: rule.methods.length > 0 ? rule.methods : ['*'] })),
  )
