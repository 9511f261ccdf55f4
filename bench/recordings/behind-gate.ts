/** A gate before the applications of the recordings: every name a site, one researcher, the firewall observing. */
import {
  KEY,
  site,
  startTestDataPlane,
  type TestGate,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import type { SessionGate } from './session.ts'

export interface RecordingsGate extends SessionGate {
  readonly events: TestGate['recorder']['events']
  close(): Promise<void>
}

/** Starts it on a free port of loopback, with the certificates of a folder. */
export async function startRecordingsGate(certificates: string): Promise<RecordingsGate> {
  const endings: (() => unknown)[] = []
  // A hook of the data plane takes no argument.
  const context = { after: (end?: unknown) => void endings.push(end as () => unknown) }
  const gate = await startTestDataPlane(context, 1, {
    settings: { tls: { directory: certificates, port: 0 } },
  })
  const { https } = gate.dataPlane
  if (!https) throw new Error('the gate has no TLS listener')
  return {
    port: https.port,
    headers: ['Sallyport-Key', KEY],
    events: gate.recorder.events,
    addSite: (host, originPort) =>
      gate.snapshots.putSite({
        ...site(originPort, { gatedName: host, keepsGatedHost: true }),
        ...{ id: host, firewall: { mode: 'observe', level: 'balanced', overrides: [], exclusions: [] } },
      }),
    close: async () => {
      for (const end of endings) await end()
    },
  }
}
