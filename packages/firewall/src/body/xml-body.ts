/**
 * Reads the values of an XML body: text, attributes, CDATA, comments, processing instructions and the DOCTYPE. A scanner
 * that resolves nothing: entities that a document defines are shown as they are written, never expanded.
 */
import { decodeEntities } from '../decoding/entity-decoding.ts'
import { VALUES_PER_STEP } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'

const PATH_CHARS_MAX = 192
/** `<?xml version="1.0" encoding="UTF-8"?>` begins most documents and says nothing. */
const DECLARATION = /^<\?xml(?:\s+(?:version|encoding|standalone)=["'][\w.-]*["'])*\s*\?>$/
/** Bounded repetitions, so that a tag that is one long name costs no more than its length. */
const ATTRIBUTE = /[\s"'/]([^\s=/"'<>]{1,128})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/g

/** Shows every value to `sink`. False where the text ends inside a construct or tags do not pair. */
export function* readXml(text: string, sink: BodySink): Steps<boolean> {
  // Paths of the open elements, outermost first.
  const path: string[] = []
  /** Text since the last tag, in as many pieces as comments and the like make of it: readers put it together. */
  let texts: string[] = []
  const takeText = (text: string): void => {
    texts.push(text)
    if (text.trim() !== '') sink.value(path.at(-1) ?? '', text)
  }
  const takeWhole = (): void => {
    if (texts.filter((text) => text.trim() !== '').length > 1) sink.value(path.at(-1) ?? '', texts.join(''))
    texts = []
  }
  let wellFormed = true
  let constructs = 0
  for (let at = 0; at < text.length; ) {
    if (++constructs % VALUES_PER_STEP === 0) yield
    const open = text.indexOf('<', at)
    const content = text.slice(at, open < 0 ? text.length : open)
    takeText(decodeEntities(content))
    if (open < 0) break
    const construct = constructAt(text, open)
    if (construct.end > text.length) wellFormed = false
    if (construct.kind === 'cdata') takeText(text.slice(open + 9, construct.end).replace(/\]\]>$/, ''))
    else {
      if (construct.kind === 'tag') takeWhole()
      yield* readConstruct(text, open, construct, path, sink)
    }
    at = construct.end
  }
  takeWhole()
  return wellFormed && path.length === 0
}

interface Construct {
  readonly kind: 'tag' | 'cdata' | 'comment' | 'instruction' | 'doctype'
  /** Where what follows begins; beyond the text where the construct does not end. */
  readonly end: number
}

function constructAt(text: string, at: number): Construct {
  const closed = (kind: Construct['kind'], close: string): Construct => {
    const found = text.indexOf(close, at)
    return { kind, end: found < 0 ? text.length + 1 : found + close.length }
  }
  if (text.startsWith('<!--', at)) return closed('comment', '-->')
  if (text.startsWith('<![CDATA[', at)) return closed('cdata', ']]>')
  if (text.startsWith('<?', at)) return closed('instruction', '?>')
  if (text.startsWith('<!', at)) {
    const plain = text.indexOf('>', at)
    const subset = text.slice(at, plain < 0 ? text.length : plain).includes('[')
    return closed('doctype', subset ? ']>' : '>')
  }
  return closed('tag', '>')
}

function* readConstruct(
  text: string,
  at: number,
  construct: Construct,
  path: string[],
  sink: BodySink,
): Steps {
  const whole = text.slice(at, construct.end)
  const where = path.at(-1) ?? ''
  if (construct.kind !== 'tag') {
    if (!DECLARATION.test(whole)) sink.value(where, whole)
    return
  }
  const name = /^<\/?\s*([^\s/>]*)/.exec(whole)?.[1] ?? ''
  if (whole.startsWith('</')) {
    path.pop()
    return
  }
  const here = pathIn(where, name)
  path.push(here)
  sink.elementName(here, name)
  let attributes = 0
  for (const [, attribute = '', double, single] of whole.matchAll(ATTRIBUTE)) {
    const place = `${here}@${attribute}`
    sink.elementName(place, attribute)
    sink.value(place, decodeEntities(double ?? single ?? ''))
    if (++attributes % VALUES_PER_STEP === 0) yield
  }
  if (/\/>$/.test(whole)) path.pop()
}

/** The path of an element in the one whose path is given; of very deep nesting the outermost levels. */
const pathIn = (parent: string, name: string): string => {
  if (parent.length > PATH_CHARS_MAX) return parent
  return `${parent}${parent === '' ? '' : '.'}${name.slice(0, 64)}`
}
