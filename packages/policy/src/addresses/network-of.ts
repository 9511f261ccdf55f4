/** By which part of an address its user is counted, wherever attempts, work or records are limited by address. */
import ipaddr from 'ipaddr.js'

const IPV4_MAPPED = '::ffff:'

/**
 * The network of an address, spelled in one way. One subscriber has a whole /64 of IPv6 to choose addresses from, so it
 * counts as one; an IPv4 address is a network by itself, also where it comes mapped into IPv6. What is no address stays as
 * it is. The text is part of the names of stored counters.
 */
export function networkOf(address: string): string {
  const [withoutZone = ''] = address.split('%', 1)
  if (!ipaddr.IPv6.isValid(withoutZone)) return address
  if (withoutZone.toLowerCase().startsWith(IPV4_MAPPED) && withoutZone.includes('.'))
    return address.slice(IPV4_MAPPED.length)
  const groups = ipaddr.IPv6.parse(withoutZone).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}
