/**
 * Makes what the first start of an installation would make otherwise, while the program is installed: the tables of the firewall's
 * rules, a traffic store with nothing in it, and what Node compiles of the sources. `npm ci` ends with it. What cannot be made here is left out.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prepareTrafficStore } from '@sallyport/control'
import { prepareDefaultTables } from '@sallyport/gateway'
import { systemErrorCode } from '../operator-error.ts'
import { COMPILE_CACHE, PREPARED_FOLDER, PREPARED_STORE } from './prepared-folder.ts'

/** What a start loads, by its processes. */
const LOADED = [
  ['program.ts', 'roles/start.ts'],
  ['program.ts', 'roles/control.ts'],
  ['program.ts', 'roles/gateway.ts'],
]

/** Makes everything anew. `report` takes a line for what is left out, with the reason. */
export async function prepareInstallation(report: (line: string) => void): Promise<void> {
  mkdirSync(PREPARED_FOLDER, { recursive: true })
  const parts = { 'the firewall': prepareTables, 'the traffic store': prepareStore, 'the sources': compile }
  for (const [name, prepare] of Object.entries(parts))
    await prepare().catch((error: Error) => report(`${name} cannot be prepared: ${error.message}`))
}

const prepareTables = (): Promise<void> => prepareDefaultTables(PREPARED_FOLDER)

/** Where the engine is left out, no store is needed. */
async function prepareStore(): Promise<void> {
  await prepareTrafficStore(PREPARED_STORE).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENGINE_MISSING') throw error
  })
}

async function compile(): Promise<void> {
  rmSync(COMPILE_CACHE, { recursive: true, force: true })
  for (const files of LOADED) {
    const imports = files.map(
      (file) => `await import(${JSON.stringify(join(import.meta.dirname, '..', file))})`,
    )
    await run(['--input-type=module', '--eval', imports.join(';')])
  }
  // What stands before all of that.
  await run([join(import.meta.dirname, '../../bin/sallyport.js'), '--version'])
}

const run = (args: readonly string[]) =>
  promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE } })

if (import.meta.main) await prepareInstallation((line) => console.error(`sallyport: ${line}`))
