/**
 * What the gateways last reported: which are alive, which revision each runs, how they find the origins, and the keys of
 * their assertions. Every control process hears only some gateways; what each hears it writes to the database once a
 * second, and reads there of the others.
 */
import {
  type BatchHeader,
  GATEWAY_LIVE_MS,
  type JSONWebKeySet,
  type OriginHealth,
  type PublicJsonWebKey,
} from '@sallyport/contract'
import type { Database } from '../database/database.ts'
import { CLOCKS_APART_MAX_MS, type GatewayState, readGateways, writeGateway } from './gateway-store.ts'

/** Keys are published for this long after their gateway was last heard of: assertions outlive it a little. */
const KEYS_KEPT_MS = 600_000
export interface GatewayRegister {
  /** Takes the header of every batch, at once. */
  reported(header: BatchHeader): void
  /** The lowest revision that a live gateway runs; infinite where none is alive. */
  lowestLiveRevision(): number
  live(): readonly GatewayState[]
  publishedKeys(): JSONWebKeySet
  /** Writes what this process heard, and reads what others did. */
  synchronize(): Promise<void>
}

export function createGatewayRegister(database: Database): GatewayRegister {
  const gateways = new Map<string, GatewayState>()
  const heardOf = (withinMs: number): GatewayState[] => {
    const since = Date.now() - withinMs
    return [...gateways.values()].filter((gateway) => gateway.seenAt >= since && isCredible(gateway))
  }

  return {
    reported(header) {
      const known = gateways.get(header.gatewayId)
      const health = known?.health ?? new Map<string, OriginHealth>()
      for (const one of header.health) health.set(one.siteId, one)
      gateways.set(header.gatewayId, {
        id: header.gatewayId,
        revision: header.revision,
        seenAt: Date.now(),
        health,
        assertionKeys: header.assertionKeys,
        journal: header.journal,
        isUnwritten: true,
      })
    },
    lowestLiveRevision: () =>
      heardOf(GATEWAY_LIVE_MS).reduce((lowest, { revision }) => Math.min(lowest, revision), Infinity),
    live: () => heardOf(GATEWAY_LIVE_MS),
    publishedKeys: () => {
      const keys = new Map<string, PublicJsonWebKey>()
      for (const gateway of heardOf(KEYS_KEPT_MS))
        for (const key of gateway.assertionKeys.keys) keys.set(key.kid, key)
      return { keys: [...keys.values()] }
    },
    async synchronize() {
      const unwritten = [...gateways.values()].filter((gateway) => gateway.isUnwritten)
      for (const gateway of unwritten) gateway.isUnwritten = false
      const stored = await database.writeInstallation(async (tx) => {
        const [rows] = await Promise.all([
          readGateways(tx),
          ...unwritten.map((gateway) => writeGateway(tx, gateway)),
        ])
        return rows
      })
      for (const gateway of stored)
        if (isCredible(gateway) && gateway.seenAt > (gateways.get(gateway.id)?.seenAt ?? 0))
          gateways.set(gateway.id, gateway)
    },
  }
}

const isCredible = ({ seenAt }: GatewayState): boolean => seenAt <= Date.now() + CLOCKS_APART_MAX_MS
