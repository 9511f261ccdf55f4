/** Begins to write the file that is named, and says so, and goes on for ever. */
import { writeFileSync } from 'node:fs'
import { writeWhole } from '../../src/private-file.ts'

await writeWhole(process.argv[2] ?? '', async (unfinished) => {
  writeFileSync(unfinished, 'half')
  process.stdout.write('begun')
  await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))
})
