/**
 * Gives the console the routes of the contract's operations without their schemas: the module `virtual:operation-routes`
 * is written when the console is built, from the contract as it is then. The schemas, with the library that reads
 * them, are as large as the whole of React.
 */
import { operations } from '@sallyport/contract'
import type { Plugin } from 'vite'

const MODULE = 'virtual:operation-routes'
const RESOLVED = `\0${MODULE}`

export function operationRoutes(): Plugin {
  return {
    name: 'sallyport-operation-routes',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load(id) {
      if (id !== RESOLVED) return undefined
      const routes = Object.entries(operations).map(([name, { method, path, format }]) => [
        name,
        { method, path, format },
      ])
      return `export const operationRoutes = ${JSON.stringify(Object.fromEntries(routes))}`
    },
  }
}
