/** Which form of the gate's own answers an `Accept` asks for. */

const DOCUMENTS = new Set(['application/json', 'application/problem+json'])
const QUALITY = /^[\t ]*q[\t ]*=[\t ]*([\d.]+)[\t ]*$/i

/**
 * Whether `Accept` likes a page at least as well as a document (RFC 9110, section 12.5.1). A page is for who lists it by name, as
 * browsers do; tools send nothing or a wildcard.
 */
export function prefersHtml(accept: string): boolean {
  let ofPage = 0
  let ofDocument = 0
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';')
    const name = type.trim().toLowerCase()
    if (name === 'text/html') ofPage = Math.max(ofPage, qualityOf(parameters))
    else if (DOCUMENTS.has(name)) ofDocument = Math.max(ofDocument, qualityOf(parameters))
  }
  return ofPage > 0 && ofPage >= ofDocument
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, quality] = QUALITY.exec(parameter) ?? []
    if (quality !== undefined) return Number(quality) || 0
  }
  return 1
}
