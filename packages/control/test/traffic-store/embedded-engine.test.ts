/** A store of which files are somebody else's. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const folder = temporaryFolder({ after })
const module = JSON.stringify(join(import.meta.dirname, '../../src/traffic-store/connection.ts'))

const dataDir = join(folder, 'clickhouse')

/** A process of its own, because the engine opens one store in each. Returns what it prints. */
async function run(script: string): Promise<string> {
  const begun = `const { openTrafficStore } = await import(${module})
    const opening = () => openTrafficStore({ dataDir: ${JSON.stringify(dataDir)} })
    ${script}
    process.exit()`
  const args = ['--input-type=module', '-e', begun]
  return (await promisify(execFile)(process.execPath, args)).stdout
}

test('a file that cannot be read is named, as one that the operator must mend', async () => {
  await run(`const store = await opening()
    await store.command('CREATE TABLE one (n UInt8) ENGINE = MergeTree ORDER BY n')
    await store.close()`)
  const [file = ''] = globSync(join(dataDir, 'store/*/*/one.sql'))
  // Root may read everything: the store is another user's then, and opened by that one.
  if (isRoot) {
    chmodSync(folder, 0o755)
    execFileSync('chown', ['-R', String(NOBODY), dataDir])
    chownSync(file, 0, 0)
  }
  chmodSync(file, 0)
  const printed = await run(`if (${isRoot}) { process.setgid(${NOBODY}); process.setuid(${NOBODY}) }
    const { code, message } = await opening().catch((error) => error)
    console.log(JSON.stringify({ code, message }))`)
  const { code, message } = JSON.parse(printed)
  assert.equal(code, 'UNFIT_FILE')
  assert.ok(
    message.includes(`${file} is not this user's`) && message.includes(`below ${dataDir} to the user`),
  )
})
