/** The public face of the contract: the words that the control plane, the gateway, the client and the console share. */

export * from './fields.ts'
export * from './operations/operation.ts'
export * from './operations/operations.ts'
export * from './rules/block-rules.ts'
export * from './rules/firewall.ts'
export * from './rules/rate-limit-policies.ts'
export * from './traffic/reading/batch-schema.ts'
export * from './traffic/reading/event-schema.ts'
export * from './traffic/reading/valid-request.ts'
export * from './words.ts'
