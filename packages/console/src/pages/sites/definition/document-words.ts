/** The words for formats of documents, and for what differs between their versions. */
import type { DocumentChange, DocumentFormat } from '@sallyport/contract'

const FORMATS: Readonly<Record<DocumentFormat, string>> = {
  'openapi-3.2': 'OpenAPI 3.2',
  'openapi-3.1': 'OpenAPI 3.1',
  'openapi-3.0': 'OpenAPI 3.0',
  'swagger-2.0': 'Swagger 2.0',
  graphql: 'GraphQL',
}
export const formatWords = (format: DocumentFormat): string => FORMATS[format]

const CHANGES: Readonly<Record<DocumentChange['kind'], string>> = {
  'operation-added': 'Operation added',
  'operation-removed': 'Operation removed',
  'operation-deprecated': 'Deprecated',
  'operation-undeprecated': 'No longer deprecated',
  'parameter-added': 'Parameter added',
  'parameter-removed': 'Parameter removed',
  'parameter-required': 'Parameter became required',
  'parameter-optional': 'Parameter became optional',
  'parameter-type': 'Type changed',
  'request-required': 'Body became required',
  'request-optional': 'Body became optional',
  'request-type-added': 'Media type of requests added',
  'request-type-removed': 'Media type of requests removed',
  'status-added': 'Status added',
  'status-removed': 'Status removed',
  'response-type-added': 'Media type of answers added',
  'response-type-removed': 'Media type of answers removed',
}
export const changeWords = (kind: DocumentChange['kind']): string => CHANGES[kind]

/** Where of a document something is wrong, for people: `paths › /a/{id} › get`. */
export const placeWords = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ') || 'the document'
