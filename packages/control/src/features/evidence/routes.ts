/** HTTP in and out of evidence. */
import type { FastifyInstance } from 'fastify'
import type { AdmitExport } from '../../http/answer/concurrent-exports.ts'
import type { Handlers } from '../../http/handlers.ts'
import type { EvidenceService } from './service.ts'

/** Where everyone can read the key that signs this installation's evidence. */
const EVIDENCE_KEY_PATH = '/.well-known/sallyport/evidence-key'

export const evidenceRoutes = (service: EvidenceService, admitExport: AdmitExport) =>
  ({
    evidenceGet: async ({ context, params, query, admission }) => {
      admitExport(context.orgId, admission)
      return {
        stream: await service.create(context.orgId, params.id, query, admission),
        contentType: 'application/x-tar',
        headers: { 'content-disposition': 'attachment; filename="evidence.tar"' },
      }
    },
  }) satisfies Partial<Handlers>

/** Publishes the key, without a token: there is nothing secret in it. */
export function addEvidenceKey(app: FastifyInstance, { key }: EvidenceService): void {
  app.get(EVIDENCE_KEY_PATH, { config: { operation: 'evidenceKey' } }, async () => ({
    fingerprint: key.fingerprint,
    publicKey: key.publicKeyPem,
  }))
}
