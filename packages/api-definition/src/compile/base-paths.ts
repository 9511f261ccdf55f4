/** The paths under which the servers of a definition have its operations. The gated name stands for their hosts. */
import { isObject, type Json, listOf, objectOf, textOf } from './references.ts'

const BASE_PATHS_MAX = 16
/** Values of a server's variable that are told apart. */
const VALUES_MAX = 8

/** Base paths of an OpenAPI 3 `servers`, without a slash at the end; the root alone where there is none. */
export function basePathsOf(servers: unknown): readonly string[] {
  const paths = new Set<string>()
  for (const server of listOf(servers).slice(0, BASE_PATHS_MAX))
    if (isObject(server))
      for (const url of withVariables(textOf(server.url), objectOf(server.variables)))
        if (paths.size < BASE_PATHS_MAX) paths.add(pathOf(url))
  return paths.size === 0 ? [''] : [...paths]
}

/** That of Swagger 2. */
export const swaggerBasePathsOf = ({ basePath }: Json): readonly string[] => [pathOf(textOf(basePath))]

/** A URL with each value of its variables. */
function withVariables(url: string, variables: Json): readonly string[] {
  let urls = [url]
  for (const [name, given] of Object.entries(variables)) {
    if (!url.includes(`{${name}}`)) continue
    const variable = objectOf(given)
    const values = new Set([variable.default, ...listOf(variable.enum).slice(0, VALUES_MAX)].map(String))
    urls = urls
      .flatMap((one) => [...values].map((value) => one.replaceAll(`{${name}}`, () => value)))
      .slice(0, BASE_PATHS_MAX)
  }
  return urls
}

/** The path of a URL, or of one that is relative, as text that was not escaped. */
function pathOf(url: string): string {
  const found = URL.parse(url, 'https://origin.invalid/')?.pathname ?? ''
  const path = found.replace(/\/+$/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
