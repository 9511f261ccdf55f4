/**
 * A fleet of two control planes and three gateways through everything that may happen to one of its processes or to a way between two:
 * until when all of it works again, whether a limit for all gateways held, and what the origin saw against what is in the
 * record. Prints the table of docs/faults.md. `node bench/faults.ts valkey` brings those of Valkey, `core` those that the tests bring.
 */
import { CORE_FAULTS, FURTHER_FAULTS, VALKEY_FAULTS } from '../test/support/fleet/faults.ts'
import { runFaults } from '../test/support/fleet/run-faults.ts'

const SETS = { core: CORE_FAULTS, further: FURTHER_FAULTS, valkey: VALKEY_FAULTS }
const wanted = process.argv.slice(2)
const faults = Object.entries(SETS).flatMap(([name, set]) =>
  wanted.length === 0 || wanted.includes(name) ? set : [],
)
const seconds = (ms: number): string => (ms / 1_000).toFixed(1)

console.log(
  '| fault | serves after, s | changes hold after, s | is recorded after, s | admitted of | decided alone |',
)
console.log('| --- | --- | --- | --- | --- | --- |')
const { seen, recorded, missing, repeated, neverArrived } = await runFaults(faults, {
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
