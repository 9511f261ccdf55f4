import { isIP, type LookupFunction } from 'node:net'

/** Answers every look-up with the addresses that were judged, so that a name which changes its mind in between gains nothing. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first] = found
    if (options.all) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
}
