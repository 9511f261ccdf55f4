/** The hash chain of an audit log, whose format evidence packs share, with Node's SHA-256. */
import { createHash } from 'node:crypto'
import {
  type ChainLink,
  type ChainPosition,
  chainFault as faultOf,
  type StartSha256,
} from '@sallyport/evidence-pack'

export { CHAIN_START, type ChainPosition } from '@sallyport/evidence-pack'

export const nodeSha256: StartSha256 = () => {
  const hash = createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
}

/** What keeps `link` from following `last`: its place, or its hash. Null where it follows. */
export const chainFault = (last: ChainPosition, link: ChainLink) => faultOf(nodeSha256, last, link)
