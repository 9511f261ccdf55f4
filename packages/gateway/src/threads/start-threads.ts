/** A gateway of several threads: the main thread follows the control plane and has the operator's port, the others serve requests. */
import { randomBytes } from 'node:crypto'
import { BatchClient } from '../control-plane/batch-client.ts'
import { drainOtherJournals, startControlSide } from '../control-side.ts'
import { type DataPlane, startAdmin } from '../data-plane.ts'
import { Lease, type Moment } from '../lease/lease.ts'
import { BatchSender, type GatewayReport } from '../record/delivery/batch-sender.ts'
import type { GatewaySettings, Log } from '../settings.ts'
import { CompiledSnapshot } from '../snapshot/compile.ts'
import { allocateShared } from '../snapshot/row-blocks.ts'
import { createAssertionSigner, generateAssertionKeys } from '../upstream/forward/assertion.ts'
import { GatewayThreads } from './gateway-threads.ts'
import { claimSharedPorts } from './shared-ports.ts'

const TICKET_KEY_BYTES = 48

/** A lease that is told on. */
class ToldLease extends Lease {
  tell: ((moment: Moment) => void) | undefined

  override vouchedAt(moment: Moment): void {
    super.vouchedAt(moment)
    this.tell?.(moment)
  }
}

/** Starts a gateway whose settings say several threads, on a system that can share ports; resolves when all listen. */
export async function startThreads(asked: GatewaySettings, log: Log): Promise<DataPlane> {
  const settings = await claimSharedPorts(asked)
  const { threads: count, gatewayId } = settings
  const lease = new ToldLease()
  const control = await startControlSide(settings, lease, CompiledSnapshot.empty(allocateShared), log)
  const { snapshots, closures, controlUrls, credential } = control
  const assertionKeys = generateAssertionKeys()
  const { keys } = await createAssertionSigner(assertionKeys)
  const threads = new GatewayThreads({
    start: { settings, threads: count, assertionKeys, ticketKeys: randomBytes(TICKET_KEY_BYTES) },
    ...{ snapshots, lease, closures, controlUrls, credential, log },
    onUnendable: (thread) => endProcess(thread, log),
  })
  lease.tell = (moment) => threads.vouchedAt(moment)
  const leases = control.renewLeases(threads)
  const reportWith = (health: GatewayReport['health']): GatewayReport => ({
    gatewayId,
    revision: threads.current.revision,
    assertionKeys: keys,
    journal: threads.waiting,
    health,
  })
  const client = new BatchClient({ controlUrls, credential })
  const reports = new BatchSender({ client, report: () => reportWith(threads.drainHealthChanges()), log })
  reports.startReports()
  const unsubscribe = threads.onSwap(() => reports.reportNow())
  const drained = await drainOtherJournals(settings, control, () => reportWith([]), log)
  const closeAll = async (): Promise<void> => {
    await threads.stop()
    unsubscribe()
    await drained.close()
    await reports.close()
    await client.close()
    await control.close()
  }
  try {
    const addresses = await threads.listening()
    const admin = await startAdmin({
      ...{ settings, snapshots, lease, closures, log },
      revision: () => threads.current.revision,
      isLeaseGranted: () => leases.isGranting,
      whyNotReady: () =>
        snapshots.current.revision === 0 ? 'no configuration received yet' : threads.whyNotReady,
      threads: () => threads.measure(),
      threadRestarts: () => threads.restarts,
    })
    return {
      ...addresses,
      admin: admin.address,
      close: async () => {
        await Promise.all([admin.close(), closeAll()])
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/**
 * Ends this process at once, as a crash would: a thread that hangs in a system call or in native code ends with its process only, and an orderly end
 * waits for it. Who keeps the gateway running starts it again, and its journals are as after a crash.
 */
function endProcess(thread: number, log: Log): void {
  log(
    'error',
    `thread ${thread} stands still and cannot be ended: the whole gateway ends, to be started again`,
  )
  process.kill(process.pid, 'SIGKILL')
}
