/** HTTP in and out of gateways. */
import type { Handlers } from '../../http/handlers.ts'
import type { GatewayService } from './service.ts'

export const gatewayRoutes = (service: GatewayService) =>
  ({
    gatewaysList: ({ context, query }) => service.list(context, query),
    gatewaysForget: ({ context, body }) => service.forget(context, body.id),
    gatewaysEnroll: ({ context, body }) => service.enroll(context, body.gatewayId ?? null),
    gatewaysRevoke: ({ context, body }) => service.revoke(context, body.id),
  }) satisfies Partial<Handlers>
