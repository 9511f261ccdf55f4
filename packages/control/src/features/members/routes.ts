/** HTTP in and out of members. */
import type { Handlers } from '../../http/handlers.ts'
import type { MemberService } from './service.ts'

export const memberRoutes = (service: MemberService) =>
  ({
    membersList: ({ context, query }) => service.list(context, query),
    membersGet: ({ context, params }) => service.get(context, params.id),
    membersInvite: ({ context, body }) => service.invite(context, body),
    membersUpdate: ({ context, params, body }) => service.update(context, params.id, body),
    membersRenewInvitation: ({ context, params }) => service.renewInvitation(context, params.id),
    membersRemove: ({ context, params }) => service.remove(context, params.id),
  }) satisfies Partial<Handlers>
