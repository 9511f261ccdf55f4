/** What an operation of the contract takes and answers, as types. */
import type { OperationId, Operations } from '@sallyport/contract'
import type { z } from 'zod'

type Part<Definition, Key extends string> = Definition extends {
  readonly [K in Key]: infer Schema extends z.ZodType
}
  ? undefined extends z.input<Schema>
    ? { readonly [K in Key]?: z.input<Schema> }
    : { readonly [K in Key]: z.input<Schema> }
  : unknown

/** Path parameters, query and body of an operation: those that it has. */
export type Input<Id extends OperationId> = Part<Operations[Id], 'params'> &
  Partial<Part<Operations[Id], 'query'>> &
  Part<Operations[Id], 'body'>

/** The answer of an operation; undefined where it has none. */
export type Output<Id extends OperationId> = Operations[Id] extends {
  readonly response: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : undefined
