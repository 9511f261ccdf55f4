/**
 * How many threads of a gateway serve requests where nobody says how many: as many as this machine has cores for but one, which is for the
 * main thread and the system, and no more than there is memory for. Where a limit is given that threads divide, each must have a part that
 * serves a researcher as well as the whole would.
 */
import { availableParallelism, totalmem } from 'node:os'
import type { Settings } from '../../settings.ts'
import { coreQuota } from './core-quota.ts'

/** More than researchers need by far; an operator who has measured otherwise says so. */
const BY_ITSELF_MAX = 4
/** Half of the memory is for threads, and each may take so much: 60 MiB at rest, and what it holds under load. */
const MEMORY_PART = 0.5
const THREAD_BYTES = 128 * 1024 * 1024
/** Connections to an origin that a researcher has in one thread: over HTTP/2 all that they ask is in one. */
const CONNECTIONS_OF_RESEARCHER_MIN = 16
/** Four segments: with less, a journal is full before the first of them is sent and given back. */
const JOURNAL_BYTES_MIN = 64 * 1024 * 1024

/** What a process may use of a machine. */
export interface MachineRoom {
  /** Processors, as affinity and quotas of control groups leave them. */
  readonly cores: number
  /** The whole, or what a control group leaves of it. */
  readonly memoryBytes: number
  /** Whether the system spreads connections over threads that listen on one port. */
  readonly sharesPorts: boolean
}

type Limits = Pick<
  Settings,
  'gatewayThreads' | 'originConnectionsMax' | 'originConnectionsPerResearcherMax' | 'journalBytesMax'
>

/** As many as the settings say, or as there is room for; at least one. */
export const servingThreads = (limits: Limits, room: MachineRoom = roomHere()): number =>
  limits.gatewayThreads ?? threadsBy(limits, room)

function threadsBy(
  { originConnectionsMax, originConnectionsPerResearcherMax, journalBytesMax }: Limits,
  { cores, memoryBytes, sharesPorts }: MachineRoom,
): number {
  if (!sharesPorts) return 1
  // Without a setting of its own a researcher has a quarter of an origin's.
  const ofResearcher = originConnectionsPerResearcherMax ?? (originConnectionsMax ?? Infinity) / 4
  const most = Math.min(
    BY_ITSELF_MAX,
    cores - 1,
    (memoryBytes * MEMORY_PART) / THREAD_BYTES,
    ofResearcher / CONNECTIONS_OF_RESEARCHER_MIN,
    (originConnectionsMax ?? Infinity) / CONNECTIONS_OF_RESEARCHER_MIN,
    (journalBytesMax ?? Infinity) / JOURNAL_BYTES_MIN,
  )
  return Math.max(1, Math.floor(most))
}

const roomHere = (): MachineRoom => ({
  cores: Math.min(availableParallelism(), coreQuota()),
  // Where no control group bounds it, what stands for no bound is 0 or larger than any memory.
  memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
  // Elsewhere several threads are for who asks for them: most systems do not spread connections, and the gateway would warn at each start.
  sharesPorts: process.platform === 'linux',
})
