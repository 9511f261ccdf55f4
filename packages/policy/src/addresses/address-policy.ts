/**
 * Which addresses the gate may connect to. An origin's name is somebody else's data: it may resolve, now or later, to
 * the gate's own machine, its network or a cloud's metadata service. So every address is judged as a number, after
 * resolution, in whichever form it hides: IPv4 mapped, compatible, translated (NAT64) or embedded (6to4, Teredo) in IPv6.
 */
import ipaddr from 'ipaddr.js'
import { isInRange, parseRange } from './address-ranges.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface AddressPolicy {
  /** Null where the address may be connected to, else the kind of range that it is in. */
  whyForbidden(address: string): string | null
  /** Which of the addresses of a name may be tried, in the order of the resolver. */
  choose(addresses: readonly string[]): ChosenAddresses
}

export interface ChosenAddresses {
  /** At most `ADDRESSES_TRIED_MAX` that may be connected to. */
  readonly permitted: readonly string[]
  /** One that may not, with the kind of its range; empty where all may. */
  readonly forbidden: string
}

/** So many addresses of a name are tried, one after another. */
const ADDRESSES_TRIED_MAX = 3

/**
 * Makes the policy. `allowed` are CIDRs that are permitted although they are not public, matched against the address
 * that the packets would finally go to. Throws a RangeError that names the first one that is not a CIDR.
 */
export function createAddressPolicy(allowed: readonly string[]): AddressPolicy {
  const ranges = allowed.map(parseRange)
  const whyForbidden = (text: string): string | null => {
    if (!ipaddr.isValid(text)) return 'not an address'
    for (const address of meanings(ipaddr.parse(text))) {
      const kind = kindOf(address)
      if (kind !== 'public' && !ranges.some((range) => isInRange(address, range))) return kind
    }
    return null
  }
  return {
    whyForbidden,
    choose(addresses) {
      const permitted: string[] = []
      let forbidden = ''
      for (const address of addresses) {
        const why = whyForbidden(address)
        if (why === null) permitted.push(address)
        else forbidden = `${address} (${why})`
      }
      return { permitted: permitted.slice(0, ADDRESSES_TRIED_MAX), forbidden }
    },
  }
}

/** The address itself or, where it carries an IPv4 address that packets end up at, that one (all of them for Teredo). */
function meanings(address: Address): Address[] {
  if (address instanceof ipaddr.IPv4) return [address]
  const bytes = address.toByteArray()
  const embedded = (offset: number, flip = 0): ipaddr.IPv4 =>
    new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte) => byte ^ flip))
  const leadingZeros = bytes.findIndex((byte) => byte !== 0)
  if (address.isIPv4MappedAddress()) return [embedded(12)]
  if (leadingZeros >= 12 && (bytes[12] ?? 0) !== 0) return [embedded(12)]
  // ::ffff:0:a.b.c.d, translated by SIIT (RFC 2765).
  if (leadingZeros === 8 && bytes[8] === 255 && bytes[9] === 255 && bytes[10] === 0 && bytes[11] === 0)
    return [embedded(12)]
  switch (address.range()) {
    case 'rfc6145':
    case 'rfc6052':
      return [embedded(12)]
    case '6to4':
      return [embedded(2)]
    case 'teredo':
      return [embedded(4), embedded(12, 255)]
  }
  // 64:ff9b:1::/48, NAT64 for local use (RFC 8215): the operator's own network by definition.
  return [address]
}

/** `public`, or the kind of special range (IANA's registries of special-purpose addresses) an address lies in. */
function kindOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) {
    const range = address.range()
    return range === 'unicast' ? otherSpecial(address) : range
  }
  const range = address.range()
  if (range !== 'unicast') return range
  // Global unicast is 2000::/3; everything outside it that has no name of its own is unassigned.
  return ((address.toByteArray()[0] ?? 0) & 0xe0) === 0x20 ? 'public' : 'unassigned'
}

/** Special IPv4 ranges that the library takes for ordinary ones, and metadata services at public addresses. */
const SPECIAL: readonly (readonly [string, [ipaddr.IPv4, number]])[] = (
  [
    ['protocol assignments', '192.0.0.0/24'],
    ['6to4 relay', '192.88.99.0/24'],
    ['benchmarking', '198.18.0.0/15'],
    ['metadata', '168.63.129.16/32'],
    ['metadata', '100.100.100.200/32'],
  ] as const
).map(([kind, cidr]) => [kind, ipaddr.IPv4.parseCIDR(cidr)] as const)

const otherSpecial = (address: ipaddr.IPv4): string =>
  SPECIAL.find(([, range]) => address.match(range))?.[0] ?? 'public'
