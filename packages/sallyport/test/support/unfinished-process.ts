/** Begins to write the file that is named, and says so, and goes on for ever. A signal that ends it comes twice. */
import { writeFileSync } from 'node:fs'
import { writeWhole } from '../../src/private-file.ts'
import { ENDING_SIGNALS } from '../../src/roles/run-role.ts'

let signal: NodeJS.Signals | undefined
for (const [name] of ENDING_SIGNALS)
  process.once(name, () => {
    signal = name
  })
process.once('exit', () => signal && process.kill(process.pid, signal))

await writeWhole(process.argv[2] ?? '', async (unfinished) => {
  writeFileSync(unfinished, 'half')
  process.stdout.write('begun')
  await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))
})
