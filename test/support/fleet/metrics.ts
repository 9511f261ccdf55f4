/** What the parts of a fleet say at their admin ports. */
import type { FleetPart } from './fleet.ts'

/** Reads all metrics of a part; returns the value of one by its name, without `sallyport_`, and its labels. */
export async function readMetrics(adminUrl: string): Promise<(name: string) => number> {
  const lines = (await (await fetch(`${adminUrl}/metrics`)).text()).split('\n')
  return (name) =>
    Number(lines.find((line) => line.startsWith(`sallyport_${name} `))?.slice(`sallyport_${name} `.length))
}

/** How often each gateway decided on a limit by itself so far, because Valkey did not answer in time. */
export const fallbackDecisions = (gateways: readonly FleetPart[]): Promise<number[]> =>
  Promise.all(
    gateways.map(async ({ adminUrl }) =>
      (await readMetrics(adminUrl))('shared_limit_decisions_total{by="fallback"}'),
    ),
  )
