/** The network that a client address is counted by: an IPv4 address, or the /64 of an IPv6 address, which is one machine's. */
import { isIPv6 } from 'node:net'

const GROUPS = 8
const NETWORK_GROUPS = 4

/** The text stands for nothing but the network. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  // `::` stands for as many groups of zeros as are missing.
  const [before = '', after] = address.split('::', 2)
  const first = before === '' ? [] : before.split(':')
  const last = after ? after.split(':') : []
  const zeros = after === undefined ? 0 : Math.max(0, GROUPS - first.length - last.length)
  const groups = [...first, ...new Array<string>(zeros).fill('0'), ...last]
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
