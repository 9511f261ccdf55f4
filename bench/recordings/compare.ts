/**
 * Uses real applications as they are recorded, once by their own addresses and once behind the gate, and prints what differs:
 *
 *     node bench/recordings/compare.ts [--requests 200] [--seconds 120] [application …]
 *
 * A row for each: rounds of use that failed, requests that were answered, those that the gate did not pass on, and each kind of answer
 * (method, kind of address, status, media type) that came behind the gate alone. The author of both uses is the same.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import { APPLICATIONS } from './applications.ts'
import { startRecordingsGate } from './behind-gate.ts'
import { installFromNpm } from './programs.ts'
import type { SeenAnswer } from './recorder.ts'
import { openRecording } from './recording.ts'
import { type RecordedApplication, recordApplication, type SessionGate } from './session.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string', default: '200' }, seconds: { type: 'string', default: '120' } },
})
const wanted = APPLICATIONS.filter(({ name }) =>
  positionals.length === 0 ? !name.startsWith('telemetry-') : positionals.includes(name),
)
const kept = process.env.SALLYPORT_RECORDINGS_WORK
const workFolder = kept ?? mkdtempSync(join(tmpdir(), 'sallyport-compared-'))
const certificates = join(workFolder, 'certificates')
mkdirSync(certificates, { recursive: true })
makeCertificate(certificates, 'gate', '*.example.org')
const read = (ending: string): Buffer => readFileSync(join(certificates, `gate.${ending}`))
const certificate = { cert: read('crt'), key: read('key') }

interface Use {
  readonly rounds: number
  readonly failures: readonly string[]
  readonly answers: readonly SeenAnswer[]
}

/** One use of an application from its start to its end. */
async function use(application: RecordedApplication, gate?: SessionGate): Promise<Use> {
  const { npm, group = application.name } = application
  const folder = mkdtempSync(join(workFolder, 'use-'))
  const writer = openRecording(folder)
  const failures: string[] = []
  const answers: SeenAnswer[] = []
  let rounds = 0
  const installed = npm ? installFromNpm(join(workFolder, 'npm', group), npm) : workFolder
  try {
    await recordApplication(application, installed, {
      ...{ workFolder: folder, certificate, writer },
      ...{ requests: Number(values.requests), seconds: Number(values.seconds) },
      ...(gate ? { gate } : {}),
      onAnswer: (answer) => void answers.push(answer),
      onRound: (error) => {
        rounds += 1
        if (error !== undefined) failures.push(lineOf(error))
      },
    })
  } catch (error) {
    failures.push(lineOf(error))
  }
  await writer.close()
  rmSync(folder, { recursive: true, force: true })
  return { rounds, failures, answers }
}

const lineOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)

/** An answer without what differs from one use to the next: numbers, long tokens, and what follows the path. */
function kindOf({ method, target, status, type }: SeenAnswer): string {
  const path = (target.split('?')[0] ?? '').replace(/\.\w{1,5}$/, '')
  const segments = path
    .split('/')
    .map((segment) => (/^[a-z_-]{1,20}$/.test(segment) ? segment : segment && '*'))
  return `${method} ${segments.join('/')} ${status} ${type.split(';')[0]}`
}

console.log(
  'application      rounds (failed)  behind the gate  requests  behind  not passed on  found by the firewall',
)
for (const application of wanted) {
  const without = await use(application)
  const gate = await startRecordingsGate(certificates)
  const within = await use(application, gate)
  const { events } = gate
  await gate.close()
  const refused = events.filter(({ outcome }) => outcome !== 'origin')
  const cells = [
    application.name.padEnd(16),
    `${without.rounds} (${without.failures.length})`.padStart(15),
    `${within.rounds} (${within.failures.length})`.padStart(16),
    String(without.answers.length).padStart(9),
    String(within.answers.length).padStart(7),
    String(refused.length).padStart(14),
    String(events.filter(({ hits }) => hits.length > 0).length).padStart(22),
  ]
  console.log(cells.join(' '))
  for (const { method, target, outcome, reason } of refused.slice(0, 5))
    console.log(`    ${outcome} ${reason}: ${method} ${target.slice(0, 100)}`)
  for (const failure of within.failures) console.log(`    failed: ${failure}`)
  const known = new Set(without.answers.map(kindOf))
  const counts = new Map<string, number>()
  for (const kind of within.answers.map(kindOf))
    if (!known.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  for (const [kind, count] of counts) console.log(`    behind the gate alone: ${kind} (${count})`)
}
if (kept === undefined) rmSync(workFolder, { recursive: true, force: true })
