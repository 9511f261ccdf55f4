/**
 * Runs the benchmarks one after the other: `npm run bench [name …]`, all by default. Each is a script of its own in
 * this folder that prints what it measured; the two sides of a comparison always run in the same script. After each stands
 * how much of the machine others had meanwhile: absolute times taken beside more than one or two percent say little.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { watchStolen } from './support/stolen.ts'

/** Those that need the data folder of an installation are started by themselves. */
const NO_PART = new Set(['run', 'console-table', 'console-traffic'])
const all = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length))
  .filter((name) => !NO_PART.has(name))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`there is no benchmark ${unknown.join(', ')}; there are: ${all.join(', ')}`)
  process.exit(1)
}

let failed = false
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n# ${name}`)
  const stolen = watchStolen()
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  failed ||= code !== 0
  const share = stolen()
  if (share !== undefined)
    console.log(`  the host gave ${(100 * share).toFixed(1)} % of the processor time to others`)
}
process.exit(failed ? 1 : 0)
