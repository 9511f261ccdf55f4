import type { BodySink } from './body-sink.ts'

/** One that does not end is read to the end of its line or of the text: each character is looked at once. */
const STRING = /"""([\s\S]*?)(?:"""|$)|"((?:[^"\\\n]|\\.)*)"?/g
/** More are judged in the document that they stand in, which is judged as a text, too. */
const STRINGS_MAX = 1_000
/** A GraphQL document: an operation or a fragment, or the short form that begins with a brace. */
const DOCUMENT = /^\s*(?:(?:query|mutation|subscription|fragment)\b[^{]*)?\{[\s\S]*\}\s*$/

/** Whether a value is a GraphQL document. */
export const isGraphqlDocument = (text: string): boolean => DOCUMENT.test(text)

/** Shows the string literals of a GraphQL document to `sink`, each by the name of the argument that it is given to. */
export function readGraphqlStrings(path: string, text: string, sink: BodySink): void {
  let strings = 0
  for (const found of text.matchAll(STRING)) {
    const value = found[1] ?? (found[2] ?? '').replace(/\\(["\\/])/g, '$1')
    if (value === '') continue
    if (++strings > STRINGS_MAX) return
    const argument = /([A-Za-z_]\w*)\s*:\s*$/.exec(
      text.slice(Math.max(0, found.index - 80), found.index),
    )?.[1]
    sink.value(argument === undefined ? path : `${path}.${argument}`, value)
  }
}
