/**
 * The live tail across control processes. Gateways hand each batch to one of them, and a follower is connected to one,
 * mostly another. So a process that has followers says which organizations they follow, and a process that stores events of
 * these sends them: by notifications of PostgreSQL, which all processes share anyway, compressed and cut into payloads.
 *
 * Nothing is sent that nobody follows. What cannot be sent in time is counted, and followers are sent how much they
 * missed; the request log has it all.
 */
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { TrafficEvent } from '@sallyport/contract'
import { type Notifications, PAYLOAD_BYTES_MAX } from '../database/notifications.ts'

const FOLLOWED_CHANNEL = 'sallyport_tail_followed'
const EVENTS_CHANNEL = 'sallyport_tail_events'

/** How often a process repeats what it follows, and how long the others believe it. */
const FOLLOWED_INTERVAL_MS = 10_000
const FOLLOWED_BELIEVED_MS = 30_000
/** Organizations in one notification: their identifiers fit its payload. */
const FOLLOWED_AT_ONCE_MAX = 100
/** Events that wait while others are being sent. */
const WAITING_EVENTS_MAX = 10_000
/** Room in a payload for what stands around the data. */
const PART_CHARS_MAX = PAYLOAD_BYTES_MAX - 200

const compress = promisify(gzip)
const decompress = promisify(gunzip)

export interface TailRelay {
  /** Says at once that an organization is followed here. */
  follows(orgId: string): void
  /** Whether another process has said lately that it follows an organization. */
  isFollowedElsewhere(orgId: string): boolean
  /** Sends events that this process has stored to those who follow them elsewhere. Never waits. */
  carry(events: readonly TrafficEvent[]): void
  close(): void
}

export interface TailRelayOptions {
  readonly notifications: Pick<Notifications, 'listen' | 'say'>
  /** Organizations that are followed in this process. */
  readonly followed: () => readonly string[]
  /** Called with events that another process has stored, and with how many it could not send. */
  readonly heard: (events: readonly TrafficEvent[], missed: ReadonlyMap<string, number>) => void
  readonly failed: (error: unknown) => void
}

/** What is sent at once. */
interface Message {
  readonly events: readonly TrafficEvent[]
  readonly missed: readonly (readonly [orgId: string, count: number])[]
}

/** A piece of a message, compressed and in base64. The parts of one message come in order, none between them. */
interface Part {
  readonly from: string
  readonly part: number
  readonly parts: number
  readonly data: string
}

export function openTailRelay({ notifications, followed, heard, failed }: TailRelayOptions): TailRelay {
  const self = randomUUID()
  /** Until when an organization is followed elsewhere. */
  const elsewhere = new Map<string, number>()
  let waiting: TrafficEvent[] = []
  let missed = new Map<string, number>()
  let isSending = false

  const sayFollowed = async (orgIds: readonly string[]): Promise<void> => {
    for (let start = 0; start < orgIds.length; start += FOLLOWED_AT_ONCE_MAX)
      await notifications.say(FOLLOWED_CHANNEL, [
        JSON.stringify({ from: self, orgIds: orgIds.slice(start, start + FOLLOWED_AT_ONCE_MAX) }),
      ])
  }
  notifications.listen(FOLLOWED_CHANNEL, (payload) => {
    const { from, orgIds }: { from: string; orgIds: readonly string[] } = JSON.parse(payload)
    if (from === self) return
    for (const orgId of orgIds) elsewhere.set(orgId, Date.now() + FOLLOWED_BELIEVED_MS)
  })
  notifications.listen(EVENTS_CHANNEL, gatherParts(self, heard, failed))

  const repeating = setInterval(() => {
    sayFollowed(followed()).catch(failed)
    for (const [orgId, until] of elsewhere) if (until < Date.now()) elsewhere.delete(orgId)
  }, FOLLOWED_INTERVAL_MS).unref()

  const send = async (): Promise<void> => {
    try {
      while (waiting.length > 0 || missed.size > 0) {
        const message: Message = { events: waiting, missed: [...missed] }
        waiting = []
        missed = new Map()
        await notifications.say(EVENTS_CHANNEL, await cutIntoParts(self, message))
      }
    } finally {
      isSending = false
    }
  }
  const isFollowedElsewhere = (orgId: string): boolean => (elsewhere.get(orgId) ?? 0) >= Date.now()
  return {
    isFollowedElsewhere,
    follows: (orgId) => void sayFollowed([orgId]).catch(failed),
    carry: (events) => {
      for (const event of events) {
        if (!isFollowedElsewhere(event.orgId)) continue
        if (waiting.length < WAITING_EVENTS_MAX) waiting.push(event)
        else missed.set(event.orgId, (missed.get(event.orgId) ?? 0) + 1)
      }
      if (isSending || (waiting.length === 0 && missed.size === 0)) return
      isSending = true
      send().catch(failed)
    },
    close: () => clearInterval(repeating),
  }
}

async function cutIntoParts(from: string, message: Message): Promise<string[]> {
  const data = (await compress(JSON.stringify(message))).toString('base64')
  const parts = Math.ceil(data.length / PART_CHARS_MAX)
  return Array.from({ length: parts }, (_, part) => {
    const piece: Part = {
      from,
      part,
      parts,
      data: data.slice(part * PART_CHARS_MAX, (part + 1) * PART_CHARS_MAX),
    }
    return JSON.stringify(piece)
  })
}

/** Reassembles the parts of messages, those of this process left out. */
function gatherParts(self: string, heard: TailRelayOptions['heard'], failed: (error: unknown) => void) {
  let gathered: Part[] = []
  /** Messages are opened one after the other, so that they stay in order. */
  let opening: Promise<void> = Promise.resolve()
  const open = async (parts: readonly Part[]): Promise<void> => {
    const data = Buffer.from(parts.map(({ data }) => data).join(''), 'base64')
    const { events, missed }: Message = JSON.parse((await decompress(data)).toString('utf8'))
    heard(events, new Map(missed))
  }
  return (payload: string): void => {
    const part: Part = JSON.parse(payload)
    if (part.from === self) return
    // After a lost connection a message may begin in its middle: it is left out.
    if (part.part === 0) gathered = []
    if (part.part !== gathered.length) return
    gathered.push(part)
    if (gathered.length < part.parts) return
    const message = gathered
    opening = opening.then(() => open(message)).catch(failed)
    gathered = []
  }
}
