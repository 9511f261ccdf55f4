/** What stands between an operation of the contract and the code that serves it. */
import type { Readable } from 'node:stream'
import type { OperationId, Operations } from '@sallyport/contract'
import type { z } from 'zod'
import type { RequestContext } from './context.ts'
import type { ReadDocument } from './documents/read-document.ts'

type Parsed<Definition, Part extends string> = Definition extends { readonly [P in Part]: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : undefined
  : undefined

/** A document that was read and checked. */
export type UploadedDocument = ReadDocument

/** A request that has passed authentication, permission and validation. */
export interface OperationCall<Id extends OperationId> {
  readonly context: RequestContext
  readonly params: Parsed<Operations[Id], 'params'>
  readonly query: Parsed<Operations[Id], 'query'>
  readonly body: Parsed<Operations[Id], 'body'>
  /** The document of an operation that accepts one, of which its `body` is the outline. */
  readonly document: Operations[Id] extends { readonly consumes: 'document' | 'form' }
    ? UploadedDocument
    : undefined
  /** Of operations that accept a form: what its file is called. */
  readonly fileName: string
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /** Aborted when the caller goes away, or would not be let in any more: what has no end of its own ends with it. */
  readonly admission: AbortSignal
  /** Adds a header to the answer. */
  setHeader(name: string, value: string): void
}

export type QueryOf<Id extends OperationId> = OperationCall<Id>['query']
export type BodyOf<Id extends OperationId> = OperationCall<Id>['body']

/** An answer with the version that its `ETag` stands for. */
export interface Versioned<Body> {
  readonly body: Body
  readonly version: number
}

/** An answer that is JSON text already, which may be large. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An answer that is written as it comes. It is cut once the caller would not be let in any more. */
export interface StreamAnswer {
  readonly stream: Readable
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  /** It ends in order with the `admission` of its call, where a part is as good as the whole. */
  readonly endsItself?: true
}

type ResponseOf<Definition> = Definition extends { readonly response: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

type AnswerOf<Definition> = Definition extends { readonly format: 'stream' }
  ? Promise<StreamAnswer>
  : Definition extends { readonly versioned: true; readonly response: z.ZodType }
    ? Promise<Versioned<ResponseOf<Definition>>>
    : Definition extends { readonly response: z.ZodType }
      ? Promise<
          ResponseOf<Definition> | (Definition extends { readonly format: 'json-string' } ? JsonText : never)
        >
      : Promise<void>

export type Handler<Id extends OperationId> = (call: OperationCall<Id>) => AnswerOf<Operations[Id]>

/** A handler for each operation. A feature gives its own; together they must be all. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> }
