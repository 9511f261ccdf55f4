/** Names of uploaded files, wherever a client writes them. */
import { GROUPS, type RequestPart } from './addresses.ts'
import type { ValueSink } from './request-value.ts'

/** Headers by which some applications are told the name of the file that is the body. */
const FILE_NAME_HEADER = /^x[-_.]?file[-_.]?name$/

/** Whether a header, by its lower-case name, holds the name of a file. */
export const isFileNameHeader = (name: string): boolean => FILE_NAME_HEADER.test(name)

/** Shows a file's name as it is, and as file systems that drop whitespace store it. */
export function emitFileName(part: RequestPart, parameter: string, text: string, emit: ValueSink): void {
  const bare = text.replace(/\s+/g, '')
  if (bare !== text) emit({ part, parameter, text: bare, group: GROUPS.fileName })
  emit({ part, parameter, text, group: GROUPS.fileName })
  emit({ part, parameter, text, group: GROUPS.otherText })
}
