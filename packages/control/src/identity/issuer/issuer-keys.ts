/**
 * The public keys of a token issuer, cached.
 *
 * The problem: issuers rotate keys without notice, so a key id that we do not know is a reason to fetch again; but
 * anybody can send tokens with invented key ids, so fetching at each of them would make us a weapon against the issuer.
 * The idea: fetches are paid from a small allowance that refills slowly. A rotation is picked up at once, a flood of
 * invented key ids costs the issuer a few requests and then one per refill.
 */
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose'
import { AuthenticationError } from '../principal.ts'

export interface IssuerKeysOptions {
  /** Gets the issuer's present keys, or fails. */
  readonly load: () => Promise<JSONWebKeySet>
  /** Fetches that may follow each other at once. */
  readonly fetchesMax?: number
  /** Time that gives one fetch back to the allowance. */
  readonly refillMs?: number
  /** Keys older than this are fetched anew before use, so that a withdrawn key stops being accepted. */
  readonly ageMaxMs?: number
  /** Keys of this age are used no more, even if the issuer cannot be reached. */
  readonly staleMaxMs?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Resolves the key of a token from its header, as jose asks for it. */
export type GetKey = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>

interface KeysState {
  readonly find: GetKey
  readonly loadedAt: number
}

/** Returns jose's key resolver over the cached keys. It throws `unavailable` while there are no keys at all. */
export function createIssuerKeys(options: IssuerKeysOptions): GetKey {
  const { load, ageMaxMs = 600_000, staleMaxMs = 86_400_000, now = () => performance.now() } = options
  const allowance = createAllowance(options.fetchesMax ?? 5, options.refillMs ?? 10_000, now)
  let state: KeysState | undefined
  let loading: Promise<void> | undefined
  let failure: unknown

  /** One fetch at a time; a failed one leaves the old keys in place. */
  const refresh = async (): Promise<void> => {
    if (!loading && allowance.acquire())
      loading = load()
        .then((keys) => {
          state = { find: createLocalJWKSet(keys), loadedAt: now() }
        })
        .catch((error: unknown) => {
          failure = error
        })
        .finally(() => {
          loading = undefined
        })
    await loading
  }

  const present = (): KeysState => {
    if (state && now() - state.loadedAt < staleMaxMs) return state
    throw new AuthenticationError('unavailable', 'the keys of the issuer cannot be fetched', {
      cause: failure,
    })
  }

  return async (header, token) => {
    if (!state || now() - state.loadedAt > ageMaxMs) await refresh()
    const before = present()
    try {
      return await before.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      const after = present()
      if (after === before) throw error
      return await after.find(header, token)
    }
  }
}

function createAllowance(max: number, refillMs: number, now: () => number) {
  let left = max
  let refilledAt = now()
  return {
    acquire(): boolean {
      const refills = Math.floor((now() - refilledAt) / refillMs)
      refilledAt += refills * refillMs
      left = Math.min(max, left + refills)
      if (left === 0) return false
      left--
      return true
    },
  }
}
