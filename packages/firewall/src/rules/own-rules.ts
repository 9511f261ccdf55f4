/** Our own pack: classes of attack that the maintained rules miss, and stricter forms of those that we leave out. */
import { CODE_RULES } from './own/code-rules.ts'
import { COMMAND_RULES } from './own/command-rules.ts'
import { FILE_RULES } from './own/file-rules.ts'
import { PHP_RULES } from './own/php-rules.ts'
import { PROBE_RULES } from './own/probe-rules.ts'
import { SQL_RULES } from './own/sql-rules.ts'
import { WEB_RULES } from './own/web-rules.ts'
import type { RuleSet } from './rule-format.ts'

/** The pack, in the same format as every other rule set. */
export const ownRules = (): RuleSet => ({
  version: '2.2',
  metadata: { name: 'sallyport' },
  rules: [
    ...SQL_RULES,
    ...COMMAND_RULES,
    ...CODE_RULES,
    ...PHP_RULES,
    ...FILE_RULES,
    ...WEB_RULES,
    ...PROBE_RULES,
  ],
})
