/**
 * Block rules: paths of a site that researchers may not touch. On the wire a site's `blockList` is a string that holds
 * a JSON array of them.
 */
import { z } from 'zod'
import { text } from '../fields.ts'

const BLOCK_RULES_MAX = 500
export const BLOCK_LIST_CHARS_MAX = 256 * 1024

/** A rule blocks the prefix as whole segments: `/admin` covers `/admin` and `/admin/x`, not `/administrator`. */
const blockRule = z.strictObject({
  id: text(64).min(1).optional(),
  /** Begins with `/`; compared decoded, with dot segments resolved and case folded. `/` covers everything. */
  pathPrefix: text(2048).min(1).startsWith('/', 'must begin with /'),
  /** Methods covered, upper case; empty, or with `*` among them, means all. */
  methods: z
    .array(z.string().regex(/^(?:\*|[A-Z][A-Z0-9-]{0,31})$/, 'an upper-case method name, or *'))
    .max(32)
    .transform((methods) => (methods.includes('*') ? [] : methods))
    .default([]),
  /** Status that a refused request is answered with. */
  status: z.int().min(400).max(599).default(403),
  enabled: z.boolean().default(true),
  note: text(500).optional(),
  /** The rule is off from this instant on. */
  expires: z.iso.datetime({ offset: true }).optional(),
})

/** As stored and sent to gateways: every rule has an id, unique within its site. */
export type BlockRule = Omit<z.infer<typeof blockRule>, 'id'> & { readonly id: string }

/** Rules as somebody writes them: a member that no rule has is a mistake, and the rule would block less than was meant. */
export const blockRules = z.array(blockRule).max(BLOCK_RULES_MAX)
/** Rules that were accepted once: a member that is not known any more is left out, or a site would lose all its rules. */
export const storedBlockRules = z.array(z.object(blockRule.shape)).max(BLOCK_RULES_MAX)
