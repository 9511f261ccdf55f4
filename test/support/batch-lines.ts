/** Events as the lines of a traffic batch after its header, and back. */
import {
  requestLine,
  requestOfLine,
  senderLine,
  senderMembers,
  type TrafficEvent,
  type TrafficRequest,
  type TrafficSender,
} from '@sallyport/contract'

/** The lines of a batch with these events, each sender declared before its first one. */
export function batchLines(events: Iterable<TrafficEvent>): string[] {
  const senders = new Map<string, number>()
  const lines: string[] = []
  for (const event of events) {
    const members = senderMembers(event)
    let number = senders.get(members)
    if (number === undefined) {
      number = senders.size + 1
      senders.set(members, number)
      lines.push(senderLine(number, members))
    }
    lines.push(requestLine(number, event))
  }
  return lines
}

/** The events that the lines of a valid batch hold. Throws where one names a sender that none before declares. */
export function eventsOfLines(lines: Iterable<string>): TrafficEvent[] {
  const senders = new Map<number, TrafficSender>()
  const events: TrafficEvent[] = []
  for (const line of lines) {
    const json = JSON.parse(line)
    if (Array.isArray(json)) {
      const sender = senders.get(json[0])
      if (!sender) throw new Error(`no line declares sender ${json[0]}`)
      events.push({ ...sender, ...(requestOfLine(json) as TrafficRequest) })
    } else {
      const { sender: number, ...sender } = json
      senders.set(number, sender)
    }
  }
  return events
}
