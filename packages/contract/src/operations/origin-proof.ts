/** Proof that an origin is the organization's to put behind the gate, and whether the gate may connect to it. */
import { z } from 'zod'
import { idParams } from '../fields.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'

/** Where a proof was found: a TXT record, which stands for the name, or a file, for its scheme, host and port. */
export const ORIGIN_PROOF_METHODS = ['dns', 'file'] as const

/** How the origin of a site stands, and what to publish to prove it. */
export const originProof = z.object({
  /** Whether a site before this origin opens only where it is proved. */
  required: z.boolean(),
  /** `exempt`: in the private ranges that the operator allows. `notRequired`: the installation does not ask. */
  state: z.enum(['proved', 'unproved', 'exempt', 'notRequired']),
  method: z.enum(ORIGIN_PROOF_METHODS).nullable(),
  provedAt: z.iso.datetime().nullable(),
  /** Null for an origin that is an address, or whose name leaves no place for a label more. */
  dnsName: z.string().nullable(),
  dnsValue: z.string(),
  /** Null for a wildcard, which a record alone proves. */
  fileUrl: z.string().nullable(),
  fileContent: z.string(),
  /**
   * The kind of range (`loopback`, `private` …) that all addresses of the origin lie in without the operator's leave, so that every
   * request fails; null where one may be connected to, where none is found, and for a wildcard.
   */
  forbiddenRange: z.string().nullable(),
})
export type OriginProof = z.infer<typeof originProof>

const TOKEN = 'sallyport-proof=Xy1kPz4sN0q8cVb2mW7tRr5uJ3eL9aGhD6fTqZoYiSE'
const exampleProof: OriginProof = {
  required: true,
  state: 'proved',
  method: 'dns',
  provedAt: EXAMPLE.time,
  dnsName: '_sallyport.shop.example.com',
  dnsValue: TOKEN,
  fileUrl: 'https://shop.example.com/.well-known/sallyport.txt',
  fileContent: TOKEN,
  forbiddenRange: null,
}

const PATH = '/api/Sites/{id}/originProof'

export const originProofOperations = declareOperations({
  sitesGetOriginProof: {
    path: PATH,
    params: idParams,
    summary: 'Read whether the origin of a site is proved, and how to prove it',
    description:
      'Publish `dnsValue` as a TXT record at `dnsName`, or `fileContent` as a line of the file at `fileUrl`. One record serves all sites of the organization with that host, a file those with that scheme and port too. `forbiddenRange` says why requests cannot reach the origin whoever it belongs to: all its addresses lie in such a range, which the operator has not allowed.',
    permission: 'sites:read',
    response: originProof,
    examples: { response: exampleProof },
  },
  sitesCheckOriginProof: {
    path: PATH,
    params: idParams,
    method: 'POST',
    summary: 'Look for the proof of the origin of a site now',
    description:
      'What is found is kept, and not asked for again. Opening a site looks for it too. An organization may look thirty times a minute: 429 `too_many_requests` beyond. Where no proof is required nothing is looked for.',
    permission: 'sites:write',
    errors: ['too_many_requests'],
    response: originProof,
    examples: { response: exampleProof },
  },
  sitesDeleteOriginProof: {
    path: PATH,
    params: idParams,
    method: 'DELETE',
    summary: 'Forget the proof of the origin of a site',
    description:
      'Sites that are open stay open, unproved; none with this origin opens until it is proved again. Forgetting one that is not there changes nothing.',
    permission: 'sites:write',
    status: 204,
  },
})
