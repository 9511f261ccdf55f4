/** HTTP in and out of researchers. */
import type { Handlers, QueryOf } from '../../http/handlers.ts'
import type { HackerCredentialService } from './credential-service.ts'
import type { RosterService } from './roster/roster-service.ts'
import type { HackerService } from './service.ts'

export const hackerRoutes = (service: HackerService, roster: RosterService) =>
  ({
    hackersList: ({ context, query }) =>
      isNewestFirst(query) ? service.list(context, query) : roster.list(context, query),
    hackersCreate: ({ context, body }) => service.create(context, body),
    hackersCreateMany: ({ context, body }) => service.createMany(context, body.hackers),
    hackersBulk: ({ context, body }) => service.bulk(context, body),
    hackersGet: ({ context, params, query }) => service.get(context, params.id, query.include),
    hackersUpdate: ({ context, params, body }) => service.update(context, params.id, body),
    hackersDelete: ({ context, params }) => service.remove(context, params.id),
  }) satisfies Partial<Handlers>

/** The order of the ids, in which nothing of the record is needed. */
const isNewestFirst = ({ sort, order, activity }: QueryOf<'hackersList'>): boolean =>
  sort === 'created' && order !== 'asc' && activity === 'false'

export const hackerCredentialRoutes = (service: HackerCredentialService) =>
  ({
    hackersInvite: ({ context, params, body }) => service.invite(context, params.id, body),
    hackersListKeys: ({ context, params }) => service.listKeys(context, params.id),
    hackersRotateKey: ({ context, params, body }) =>
      service.rotateKey(context, params.id, body?.keepOld ?? false),
    hackersRevokeKey: ({ context, params }) => service.revokeKey(context, params.id, params.keyId),
    hackersEndSessions: ({ context, params }) => service.endSessions(context, params.id),
  }) satisfies Partial<Handlers>
