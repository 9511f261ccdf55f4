/** What of an address stands for whoever uses it: of IPv6 the first 64 bits, because whoever has one has all of that network. */
import { isIPv6 } from 'node:net'

/** The network that an address belongs to, spelled in one way; an IPv4 address is one by itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [before = '', after] = address.split('%', 1).join('').split('::')
  const first = groupsOf(before)
  const last = after === undefined ? [] : groupsOf(after)
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))
