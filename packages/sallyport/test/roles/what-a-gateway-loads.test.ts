/** What a gateway, and each other role, does not load: it would stay in its memory for as long as it runs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const SOURCES = join(ROOT, 'packages/sallyport/src')
const cache = temporaryFolder({ after })

/** Loads files in a process of its own that keeps what it compiles, and says by their paths what else was loaded for them. */
function loadedFor(...files: readonly string[]): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    for (const file of ${JSON.stringify(files)}) await import(file)
    console.log(JSON.stringify([...loaded, ...process.moduleLoadList]))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache },
    encoding: 'utf8',
  })
  return JSON.parse(printed)
}

test('a gateway loads neither the schemas of the API, nor the control plane, nor a client of PostgreSQL', () => {
  const loaded = loadedFor(join(SOURCES, 'program.ts'), join(SOURCES, 'roles/gateway.ts'))
  assert.ok(
    loaded.some((url) => url.endsWith('/contract/src/words.ts')),
    'these are files by their paths',
  )
  for (const unneeded of [
    '/contract/src/index.ts',
    '/contract/src/operations/',
    '/packages/control/',
    '/packages/client/',
    '/node_modules/pg/',
    '/node_modules/fastify/',
    '/node_modules/undici/',
  ])
    assert.deepEqual(
      loaded.filter((url) => url.includes(unneeded)),
      [],
      unneeded,
    )
})

test('no role loads undici, of which Node’s own HTTP has no need (decision 0380)', () => {
  for (const role of ['start', 'control', 'gateway']) {
    const loaded = loadedFor(join(SOURCES, 'program.ts'), join(SOURCES, `roles/${role}.ts`))
    assert.ok(loaded.includes('NativeModule http'), `builtin modules of the role "${role}" are in the list`)
    assert.deepEqual(
      loaded.filter((name) => name.includes('undici')),
      [],
      role,
    )
  }
})
