/**
 * A fleet of two control planes and three gateways through everything that may happen to one of its processes or to a way between two:
 * until when all of it works again, whether a limit for all gateways held, and what the origin saw against what is in the
 * record. Prints the table of docs/faults.md. `node bench/faults.ts valkey` brings those of Valkey alone, `core` those that the tests
 * bring, `further` what takes longer, `clock` deaths while clocks differ by ten minutes to either side; `'kill -9 of a gateway'` and its
 * like these faults alone, in one fleet.
 */
import { CORE_FAULTS, type Fault, FURTHER_FAULTS, VALKEY_FAULTS } from '../test/support/fleet/faults.ts'
import { type FaultRunOptions, runFaults } from '../test/support/fleet/run-faults.ts'

const TEN_MINUTES_MS = 600_000
const RUNS: Readonly<Record<string, readonly [readonly Fault[], FaultRunOptions]>> = {
  core: [CORE_FAULTS, {}],
  further: [FURTHER_FAULTS, {}],
  valkey: [VALKEY_FAULTS, {}],
  clock: [
    CORE_FAULTS.filter(({ name }) => name.startsWith('kill')),
    {
      clockShiftMs: (role, index) =>
        index > 1 ? 0 : (index === 0 ? 1 : -1) * (role === 'control' ? -TEN_MINUTES_MS : TEN_MINUTES_MS),
    },
  ],
}

const wanted = process.argv.slice(2)
const all = [...CORE_FAULTS, ...FURTHER_FAULTS, ...VALKEY_FAULTS]
const named = all.filter(({ name }) => wanted.includes(name))
const unknown = wanted.filter((one) => !(one in RUNS) && !named.some(({ name }) => name === one))
if (unknown.length > 0) {
  const names = [...Object.keys(RUNS), ...all.map(({ name }) => name)]
  console.error(`there is no fault ${unknown.join(', ')}; there are: ${names.join(', ')}`)
  process.exit(1)
}
if (named.length > 0) await run(named, {})
for (const [name, [faults, options]] of Object.entries(RUNS))
  if (wanted.length === 0 || wanted.includes(name)) {
    console.log(`\n${name}\n`)
    await run(faults, options)
  }

async function run(faults: readonly Fault[], options: FaultRunOptions): Promise<void> {
  console.log(
    '| fault | serves after, s | changes hold after, s | is recorded after, s | admitted of | decided alone |',
  )
  console.log('| --- | --- | --- | --- | --- | --- |')
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1)
  const { seen, recorded, missing, repeated, neverArrived } = await runFaults(faults, {
    ...options,
    told: ({ name, servesMs, changesMs, recordsMs, admitted, limit, fallback }) => {
      const times = [servesMs, changesMs, recordsMs].map(seconds)
      console.log(`| ${[name, ...times, `${admitted} of ${limit}`, fallback].join(' | ')} |`)
    },
  })
  console.log(`
requests that the origin saw        ${seen}
  missing in the record             ${missing.length}
requests in the record              ${recorded}
  more than once                    ${repeated.length}
  forwarded, but lost on the way    ${neverArrived}`)
}
