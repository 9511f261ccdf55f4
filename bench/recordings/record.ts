/**
 * Records what real applications and libraries of telemetry send:
 *
 *     node bench/recordings/record.ts <folder> [--requests 1500] [--seconds 900] [application …]
 *
 * Each until it has sent so many requests, or for so long. Applications come from the npm registry, in the versions of their
 * tables, and from Debian's packages, which have to be installed. They run in a temporary folder; `SALLYPORT_RECORDINGS_WORK`
 * names one that is kept, so that nothing is installed twice.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import { APPLICATIONS } from './applications.ts'
import { CONTENT_PACKAGES } from './content/texts.ts'
import { installFromNpm, missingDebianPackages } from './programs.ts'
import { openRecording } from './recording.ts'
import { recordApplication } from './session.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string', default: '1500' }, seconds: { type: 'string', default: '900' } },
})
const [target, ...names] = positionals
const unknown = names.filter((name) => !APPLICATIONS.some((application) => application.name === name))
if (target === undefined || unknown.length > 0) {
  console.error(
    `record.ts <folder> [application …]; there are: ${APPLICATIONS.map(({ name }) => name).join(', ')}`,
  )
  process.exit(1)
}
const wanted = APPLICATIONS.filter(({ name }) => names.length === 0 || names.includes(name))
const missing = missingDebianPackages([...CONTENT_PACKAGES, ...wanted.flatMap(({ debian = [] }) => debian)])
if (missing.length > 0) {
  console.error(`Recording needs: apt-get install --no-install-recommends ${missing.join(' ')}`)
  process.exit(1)
}

const kept = process.env.SALLYPORT_RECORDINGS_WORK
const workFolder = kept ?? mkdtempSync(join(tmpdir(), 'sallyport-recordings-'))
const folder = resolve(target)
for (const each of [folder, workFolder]) mkdirSync(each, { recursive: true })
// Several may record at once into one folder.
const own = `recorder-${process.pid}`
makeCertificate(workFolder, own, '*.example.org')
const [cert, key] = [`${own}.crt`, `${own}.key`].map((name) => readFileSync(join(workFolder, name)))
if (!cert || !key) throw new Error('no certificate was made')
const certificate = { cert, key }

for (const application of wanted) {
  const { name, npm, group = name } = application
  const writer = openRecording(folder)
  const begun = performance.now()
  try {
    const installed = npm ? installFromNpm(join(workFolder, 'npm', group), npm) : workFolder
    await recordApplication(application, installed, {
      workFolder,
      certificate,
      writer,
      requests: Number(values.requests),
      seconds: Number(values.seconds),
    })
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.stack : error}`)
    process.exitCode = 1
  }
  await writer.close()
  console.log(
    `${name}: ${writer.count(name)} requests in ${Math.round((performance.now() - begun) / 1000)} s`,
  )
}
if (kept === undefined) rmSync(workFolder, { recursive: true, force: true })
