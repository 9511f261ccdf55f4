/** A block rule as gateways know it. */
import type { BlockRule } from '@sallyport/contract'

/** A rule in force that refuses every method with 403. */
export const blockRule = (id: string, pathPrefix: string, changes: Partial<BlockRule> = {}): BlockRule => ({
  id,
  pathPrefix,
  methods: [],
  status: 403,
  enabled: true,
  ...changes,
})
