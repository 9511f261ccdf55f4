/** HTTP in and out of destinations and deliveries. */
import type { Handlers } from '../../http/handlers.ts'
import type { DeliveryService } from './delivery-service.ts'
import type { DestinationService } from './destination-service.ts'

export const notificationRoutes = (destinations: DestinationService, deliveries: DeliveryService) =>
  ({
    destinationsList: ({ context, query }) => destinations.list(context, query),
    destinationsGet: ({ context, params }) => destinations.get(context, params.id),
    destinationsCreate: ({ context, body }) => destinations.create(context, body),
    destinationsUpdate: ({ context, params, body }) => destinations.update(context, params.id, body),
    destinationsRotate: ({ context, params, body }) =>
      destinations.rotate(context, params.id, body?.overlapSeconds),
    destinationsConfirm: ({ context, params, body }) => destinations.confirm(context, params.id, body.code),
    destinationsTest: ({ context, params }) => destinations.test(context, params.id),
    destinationsRemove: ({ context, params }) => destinations.remove(context, params.id),
    deliveriesList: ({ context, query }) => deliveries.list(context, query),
    deliveriesReplay: ({ context, params }) => deliveries.replay(context, params.id),
  }) satisfies Partial<Handlers>
