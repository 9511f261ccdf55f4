/** What of a site's definition its coverage is judged by. It is given where the features are composed. */
export interface DefinedParameter {
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body'
  readonly name: string
}

export interface DefinedOperation {
  readonly method: string
  readonly template: string
  readonly source: 'given' | 'confirmed' | 'learned'
  readonly parameters: readonly DefinedParameter[]
}
