/** HTTP in and out of saved views. */
import type { Handlers } from '../../http/handlers.ts'
import type { SavedViewService } from './service.ts'

export const savedViewRoutes = (service: SavedViewService) =>
  ({
    savedViewsList: ({ context, query }) => service.list(context, query),
    savedViewsGet: ({ context, params }) => service.get(context, params.id),
    savedViewsCreate: ({ context, body }) => service.create(context, body),
    savedViewsUpdate: ({ context, params, body }) => service.update(context, params.id, body),
    savedViewsRemove: ({ context, params }) => service.remove(context, params.id),
  }) satisfies Partial<Handlers>
