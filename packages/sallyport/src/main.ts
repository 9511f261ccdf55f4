/** The `sallyport` command. */
import { createProgram } from './program.ts'
import { failToStart } from './roles/run-role.ts'

await createProgram()
  .parseAsync()
  .then(() => process.exit(), failToStart)
