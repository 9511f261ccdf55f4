/** HTTP out of the audit log. */
import type { Handlers } from '../../http/handlers.ts'
import type { AuditLogService } from './service.ts'

export const auditLogRoutes = (service: AuditLogService) =>
  ({
    auditLogList: ({ context, query }) => service.list(context, query),
    auditLogVerify: ({ context, query }) => service.verify(context, query.head),
  }) satisfies Partial<Handlers>
