import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { createPreparation } from '../../../gateway/src/stages/firewall/table-file.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const copy = temporaryFolder({ after })

/** The program elsewhere, as another install has it, with nothing prepared. */
function installElsewhere(): string {
  for (const name of readdirSync(join(ROOT, 'packages'))) {
    const files = ['package.json', 'src', 'bin'].filter((file) =>
      existsSync(join(ROOT, 'packages', name, file)),
    )
    for (const file of files)
      cpSync(join(ROOT, 'packages', name, file), join(copy, 'packages', name, file), { recursive: true })
  }
  cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return join(copy, 'packages/sallyport')
}

test('an install has what Node compiles and the tables of the default rules, and a start uses them', async () => {
  const folder = installElsewhere()
  const env = { PATH: process.env.PATH ?? '' }
  execFileSync(process.execPath, [join(folder, 'src/prepared/prepare-installation.ts')], {
    env,
    stdio: 'inherit',
  })

  const cache = join(folder, 'dist/compile-cache')
  const compiled = (): number => readdirSync(cache, { recursive: true }).length
  assert.ok(compiled() > 500, `${compiled()} files`)

  const [store = ''] = readdirSync(join(folder, 'dist/traffic-store'))
  assert.ok(existsSync(join(folder, 'dist/traffic-store', store, 'metadata/default/requests.sql')))

  const tables = join(folder, 'dist/firewall-tables')
  const before = { bytes: readFileSync(tables), at: statSync(tables).mtimeMs }
  const complaints: string[] = []
  await createPreparation(join(folder, 'dist'), (_level, line) => complaints.push(line))([])
  assert.deepEqual(complaints, [])
  assert.equal(statSync(tables).mtimeMs, before.at, 'they are those of the rules: nothing was made anew')

  const printed = execFileSync(process.execPath, [join(folder, 'src/main.ts'), '--version'], { env })
  assert.match(String(printed), /^\d/)
})

test('the installed command loads no compiler of TypeScript, which would stay in memory, and tells its threads of the cache', () => {
  const compiler = 'NativeModule internal/deps/amaro/dist/index'
  const say = `data:text/javascript,process.on('exit',()=>console.log(process.moduleLoadList.includes('${compiler}'),process.env.NODE_COMPILE_CACHE))`
  const isLoadedFor = (file: string): string =>
    execFileSync(process.execPath, ['--import', say, join(copy, 'packages/sallyport', file), '--version'], {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    })
  const cache = join(realpathSync(copy), 'packages/sallyport/dist/compile-cache')
  assert.equal(isLoadedFor('bin/sallyport.js').split('\n')[1], `false ${cache}`)
  assert.equal(
    isLoadedFor('src/main.ts').split('\n')[1],
    `true ${cache}`,
    'this is what the compiler is called',
  )
})
