/** In which parameter of an operation a hit of the firewall lies, as far as the record says it. */
import type { DefinedParameter } from './defined-operation.ts'

export interface PlacedParameter extends DefinedParameter {
  readonly isDefined: boolean
}

const PLACES: Readonly<Record<string, DefinedParameter['place']>> = {
  path: 'path',
  target: 'path',
  query: 'query',
  header: 'header',
  cookie: 'cookie',
  body: 'body',
  file: 'body',
}

/**
 * The parameters that a definition names, as the record can tell them apart: it knows that a path was attacked, and not in which of
 * several parameters, so those are one without a name.
 */
export function distinctParameters(parameters: readonly DefinedParameter[]): PlacedParameter[] {
  const inPath = parameters.filter(({ place }) => place === 'path')
  const others = parameters.filter(({ place }) => place !== 'path')
  const path: DefinedParameter[] = inPath.length > 1 ? [{ place: 'path', name: '' }] : inPath
  return [...path, ...others].map((parameter) => ({ ...parameter, isDefined: true }))
}

/** Undefined where the hit lies in no parameter, as in the method. */
export function placeParameter(
  defined: readonly PlacedParameter[],
  part: string,
  name: string,
): PlacedParameter | undefined {
  const place = Object.hasOwn(PLACES, part) ? PLACES[part] : undefined
  if (place === undefined) return undefined
  const inPlace = defined.filter((parameter) => parameter.place === place)
  if (place === 'path') return inPlace[0] ?? { place, name: '', isDefined: false }
  const top = name.split(/[.[]/, 1)[0] ?? ''
  return (
    inPlace.find((parameter) => parameter.name === name) ??
    (place === 'body' ? inPlace.find((parameter) => parameter.name === top) : undefined) ?? {
      place,
      name,
      isDefined: false,
    }
  )
}
