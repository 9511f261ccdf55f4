/** Ranges of addresses, as operators list them, and whether an address is in one; and the one spelling of an address. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A network, and how many of its bits count. */
export type AddressRange = readonly [Address, number]

export interface AddressRanges {
  /** Whether an address is in one of them, an IPv4 address also where it comes mapped into IPv6. False for what is no address. */
  has(address: string): boolean
}

const MAPPED_BITS = 96

/** Makes ranges of CIDRs and single addresses. Throws a RangeError that names the first one that is neither. */
export function createAddressRanges(cidrs: readonly string[]): AddressRanges {
  const ranges = cidrs.map(parseRange).map(unmapped)
  return {
    has(text) {
      if (ranges.length === 0) return false
      const plain = plainAddress(text.split('%', 1)[0] ?? '')
      if (plain === null) return false
      const address = ipaddr.parse(plain)
      return ranges.some((range) => isInRange(address, range))
    },
  }
}

/** Reads a CIDR or an address. Throws a RangeError. */
export function parseRange(text: string): AddressRange {
  try {
    return text.includes('/') ? ipaddr.parseCIDR(text) : wholeAddress(text)
  } catch {
    throw new RangeError(`not a CIDR range: ${text}`)
  }
}

/** Whether an address is in a range of its kind. */
export const isInRange = (address: Address, [network, bits]: AddressRange): boolean =>
  network.kind() === address.kind() && address.match([network, bits] as [ipaddr.IPv4, number])

/**
 * The one spelling of an address: IPv4 in four decimal parts, also where it comes mapped into IPv6, and IPv6 as RFC 5952 has it. Null
 * for anything else, octal and short forms and zones among it.
 */
export function plainAddress(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)
    ? ipaddr.process(text).toString()
    : null
}

function wholeAddress(text: string): AddressRange {
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function unmapped(range: AddressRange): AddressRange {
  const [network, bits] = range
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [network.toIPv4Address(), bits - MAPPED_BITS]
    : range
}
