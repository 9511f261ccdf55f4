/** HTTP in and out of API keys. */
import type { Handlers } from '../../http/handlers.ts'
import type { ApiKeyService } from './service.ts'

export const apiKeyRoutes = (service: ApiKeyService) =>
  ({
    apiKeysList: ({ context, query }) => service.list(context, query),
    apiKeysGet: ({ context, params }) => service.get(context, params.id),
    apiKeysCreate: ({ context, body }) => service.create(context, body),
    apiKeysUpdate: ({ context, params, body }) => service.update(context, params.id, body),
    apiKeysRotate: ({ context, params, body }) => service.rotate(context, params.id, body?.overlapSeconds),
    apiKeysRevoke: ({ context, params }) => service.revoke(context, params.id),
  }) satisfies Partial<Handlers>
