/** Reads GraphQL schemas: in the schema definition language, or as a server answers the introspection query. */
import type { FieldError } from '@sallyport/contract'
import {
  buildASTSchema,
  buildClientSchema,
  GraphQLError,
  type GraphQLSchema,
  type IntrospectionQuery,
  Kind,
  parse,
  printSchema,
  validateSchema,
} from 'graphql'
import { BadDocument } from './bad-document.ts'

/** No schema of an application needs more; each costs the parser a node. */
const TOKENS_MAX = 500_000
const FAULTS_MAX = 20

/** A schema that was read: its text, or why it is none. */
export interface ReadSchema {
  readonly text: string
  /** Fields of queries, mutations and subscriptions. */
  readonly operations: number
  readonly faults: readonly FieldError[]
}

/** Throws a `BadDocument` for what cannot be read at all. Nothing of the text is quoted. */
export function readSchema(source: string): ReadSchema {
  return guarded(() => {
    const document = parse(source, { maxTokens: TOKENS_MAX })
    const foreign = document.definitions.find(
      ({ kind }) => kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION,
    )
    if (foreign) throw new GraphQLError('a query is no schema', { nodes: foreign })
    return judged(buildASTSchema(document, { assumeValidSDL: false }), source)
  })
}

/** What the introspection query of a schema was answered with, or its `data`; undefined where it is something else. */
export function introspectionOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if ('__schema' in value) return value
  return 'data' in value ? introspectionOf(value.data) : undefined
}

/** The schema that an introspection tells of, in the schema definition language. */
export const readIntrospection = (introspection: unknown): ReadSchema =>
  guarded(() => {
    // The library checks what it uses of it, and throws.
    const schema = buildClientSchema(introspection as IntrospectionQuery)
    return judged(schema, printSchema(schema))
  })

function judged(schema: GraphQLSchema, text: string): ReadSchema {
  const faults = validateSchema(schema)
    .slice(0, FAULTS_MAX)
    .map((error) => ({
      path: '',
      message: `is no valid schema${placeOf(error)}`,
    }))
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const operations = roots.reduce((sum, root) => sum + Object.keys(root?.getFields() ?? {}).length, 0)
  return { text, operations, faults }
}

/** The library's words quote names of the schema; the line says enough. */
function guarded(read: () => ReadSchema): ReadSchema {
  try {
    return read()
  } catch (error) {
    if (error instanceof GraphQLError)
      throw new BadDocument(
        'malformed',
        `The body is no GraphQL schema, or has more than ${TOKENS_MAX} tokens${placeOf(error)}.`,
      )
    // The parser follows what nests by calling itself, and others throw plain errors for what is no introspection.
    if (error instanceof RangeError) throw new BadDocument('malformed', 'The body nests too deep.')
    if (error instanceof Error)
      throw new BadDocument('malformed', `The body is no GraphQL schema${lineIn(error.message)}.`)
    throw error
  }
}

const placeOf = ({ locations }: GraphQLError): string => {
  const place = locations?.[0]
  return place ? ` (line ${place.line}, column ${place.column})` : ''
}

const lineIn = (message: string): string => {
  const place = /\bline (\d+)/.exec(message)?.[1]
  return place === undefined ? '' : ` (line ${place})`
}
