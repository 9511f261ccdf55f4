/**
 * Renews the lease (`lease.ts` of the contract): a challenge every second. What is granted counts from the sending of its
 * challenge, once the gateway runs the revision that the grant names.
 */
import { randomBytes } from 'node:crypto'
import {
  LEASE_INTERVAL_MS,
  LEASE_PATH,
  type LeaseChallenge,
  type LeaseGrant,
} from '@sallyport/contract/words'
import { pause } from '@sallyport/toolbox'
import type { Lease, Moment } from '../lease/lease.ts'
import type { LeaseFile } from '../lease/lease-file.ts'
import type { Log } from '../settings.ts'
import type { RevisionSource } from '../snapshot/snapshot.ts'
import { type ControlAgent, createControlAgent, describeAnswer, sendToControl } from './control-request.ts'
import type { ControlUrls } from './control-urls.ts'
import type { GatewayCredential } from './credential.ts'

const TIMEOUT_MS = 2_000
/** After a challenge that was not answered at all. */
const RETRY_MS = 250
const CHALLENGE_BYTES = 16

export interface LeaseClientOptions {
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
  readonly gatewayId: string
  readonly version: string
  readonly lease: Lease
  readonly file: LeaseFile
  /** What every thread of the gateway runs. */
  readonly snapshots: RevisionSource
  /** Called when the control plane says that the gateway's own credential is due to be renewed. */
  readonly renewalDue?: () => void
  readonly log: Log
}

/** What the control plane has granted, and from when it counts. */
interface Granted {
  readonly revision: number
  readonly sentAt: Moment
}

export class LeaseClient {
  readonly #options: LeaseClientOptions
  #url: string
  #agent: ControlAgent
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #unsubscribe: () => void
  /** What the snapshot has not caught up with yet. */
  #granted: Granted | undefined
  #isGranting = false
  #said = ''

  constructor(options: LeaseClientOptions) {
    this.#options = options
    this.#url = options.controlUrls.current
    this.#agent = createControlAgent(new URL(this.#url), 1)
    this.#unsubscribe = options.snapshots.onSwap(() => this.#applyGrant())
    this.#running = this.#run()
  }

  /** Whether the control plane grants leases now. One of before leases does not, and nothing runs out. */
  get isGranting(): boolean {
    return this.#isGranting
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#unsubscribe()
    this.#agent.destroy()
    await this.#options.file.flushed()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      let pauseMs = LEASE_INTERVAL_MS
      const why = await this.#ask().catch((error: unknown) => {
        pauseMs = RETRY_MS
        this.#askNext()
        return error instanceof Error ? error.message : String(error)
      })
      if (!signal.aborted) this.#note(why)
      await pause(pauseMs, signal)
    }
  }

  /** Asks the next control plane from now on. */
  #askNext(): void {
    const next = this.#options.controlUrls.after(this.#url)
    if (next === this.#url) return
    this.#agent.destroy()
    this.#url = next
    this.#agent = createControlAgent(new URL(next), 1)
  }

  /** Sends a challenge; resolves with why nothing was granted, empty where something was. */
  async #ask(): Promise<string> {
    const { credential, gatewayId, version, lease, snapshots, renewalDue } = this.#options
    const sentAt = lease.now()
    const asked: LeaseChallenge = {
      gatewayId,
      challenge: randomBytes(CHALLENGE_BYTES).toString('base64url'),
      revision: snapshots.current.revision,
      version,
    }
    const answer = await sendToControl(new URL(LEASE_PATH, this.#url), {
      gatewayToken: credential.current,
      type: 'application/json',
      body: [Buffer.from(JSON.stringify(asked))],
      agent: this.#agent,
      silenceMaxMs: TIMEOUT_MS,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const { status, text } = answer
    if (status === 404) return 'it knows no leases'
    if (status !== 200) {
      this.#askNext()
      return `it ${describeAnswer(answer)}`
    }
    const grant: Partial<LeaseGrant> = JSON.parse(text)
    if (grant.challenge !== asked.challenge) return 'it echoes another challenge'
    if (grant.renewCredential) renewalDue?.()
    if (typeof grant.revision !== 'number') {
      // The feed of another process does not bring what this one knows of.
      this.#options.controlUrls.moveTo(this.#url)
      return 'this gateway does not run what was granted last'
    }
    this.#granted = { revision: grant.revision, sentAt }
    this.#applyGrant()
    return ''
  }

  /** Lets the grant count, where the gateway runs what it is for. */
  #applyGrant(): void {
    const { lease, file, snapshots } = this.#options
    if (!this.#granted || snapshots.current.revision < this.#granted.revision) return
    lease.vouchedAt(this.#granted.sentAt)
    this.#granted = undefined
    file.keep(lease)
  }

  /** One line for each new reason, not one for each challenge. */
  #note(why: string): void {
    const { log } = this.#options
    this.#isGranting = why === ''
    if (this.#said === why) return
    if (why === '') log('info', 'the control plane renews the lease again')
    else log('warn', `the control plane does not renew the lease: ${why}; sites close where it runs out`)
    this.#said = why
  }
}
