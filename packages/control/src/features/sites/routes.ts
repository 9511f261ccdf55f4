/** HTTP in and out of sites. */
import { MAIN_DOCUMENT } from '@sallyport/contract'
import type { Handlers } from '../../http/handlers.ts'
import { linkToNext } from '../../http/request/paging.ts'
import type { SiteAccessService } from './access.ts'
import type { SiteDocumentService } from './documents/service.ts'
import type { DocumentVersionService } from './documents/version-service.ts'
import type { SiteGroupService } from './groups/service.ts'
import type { ApiOperationService } from './operations/service.ts'
import type { OriginProofService } from './origin-proof/service.ts'
import type { SiteService } from './service.ts'
import type { SiteSettingsService } from './settings/service.ts'

export const siteAccessRoutes = (service: SiteAccessService) =>
  ({
    sitesGetHackers: ({ context, params }) => service.getHackers(context, params.id),
    sitesSetHackers: ({ context, params, body }) => service.setHackers(context, params.id, body.ids),
    sitesValidateHacker: ({ context, query, body }) =>
      service.validate(context, { ...given(query), ...given(body) }),
  }) satisfies Partial<Handlers>

/** The members that say something: an empty one is as one that is not there. */
const given = <T extends object>(members: T | undefined): Partial<T> =>
  Object.fromEntries(Object.entries(members ?? {}).filter(([, value]) => value !== '')) as Partial<T>

export const siteSettingsRoutes = (service: SiteSettingsService) =>
  ({
    sitesGetFirewall: ({ context, params }) => service.getFirewall(context, params.id),
    sitesListStatus: ({ context, query }) => service.listStatus(context, query),
    sitesListExclusions: ({ context, query }) => service.listExclusions(context, query),
    sitesSetFirewall: ({ context, params, body }) => service.setFirewall(context, params.id, body),
    sitesGetRecordSettings: ({ context, params }) => service.getRecordSettings(context, params.id),
    sitesSetRecordSettings: ({ context, params, body }) =>
      service.setRecordSettings(context, params.id, body),
    sitesGetForwarding: ({ context, params }) => service.getForwarding(context, params.id),
    sitesSetForwarding: ({ context, params, body }) => service.setForwarding(context, params.id, body),
    sitesGetHealth: ({ context, params }) => service.getHealth(context, params.id),
    sitesGetDefinitionRule: ({ context, params }) => service.getDefinitionRule(context, params.id),
    sitesGetApiDefinition: ({ context, params }) => service.getDefinition(context, params.id),
  }) satisfies Partial<Handlers>

export const siteDocumentRoutes = (service: SiteDocumentService) =>
  ({
    sitesSetDefinition: async ({ context, params, document }) => {
      await service.set(context, params.id, MAIN_DOCUMENT, document)
    },
    sitesDeleteDefinition: ({ context, params }) => service.remove(context, params.id, MAIN_DOCUMENT),
    sitesListDocuments: ({ context, params }) => service.list(context, params.id),
    sitesSetDocument: ({ context, params, query, document }) =>
      service.set(context, params.id, query.name, document),
    sitesGetDocument: ({ context, params, query }) => service.get(context, params.id, query),
    sitesDeleteDocument: ({ context, params, query }) => service.remove(context, params.id, query.name),
  }) satisfies Partial<Handlers>

export const apiOperationRoutes = (service: ApiOperationService) =>
  ({
    sitesListOperations: ({ context, params, query }) => service.list(context, params.id, query),
    sitesConfirmOperation: ({ context, params, body }) => service.confirm(context, params.id, body),
    sitesUnconfirmOperation: ({ context, params, body }) => service.unconfirm(context, params.id, body),
    sitesCompareDefinition: ({ context, params, query }) => service.compare(context, params.id, query),
  }) satisfies Partial<Handlers>

export const documentVersionRoutes = (service: DocumentVersionService) =>
  ({
    sitesListDocumentVersions: ({ context, params, query }) => service.list(context, params.id, query.name),
    sitesCompareDocument: ({ context, params, query }) => service.compare(context, params.id, query),
    sitesRestoreDocument: ({ context, params, body }) => service.restore(context, params.id, body),
  }) satisfies Partial<Handlers>

export const siteGroupRoutes = (service: SiteGroupService) =>
  ({
    siteGroupsList: ({ context, query }) => service.list(context, query),
    siteGroupsCreate: ({ context, body }) => service.create(context, body),
    siteGroupsGet: ({ context, params }) => service.get(context, params.id),
    siteGroupsUpdate: ({ context, params, body }) => service.rename(context, params.id, body),
    siteGroupsSetSites: ({ context, params, body }) => service.setSites(context, params.id, body.sites),
    siteGroupsDelete: ({ context, params }) => service.remove(context, params.id),
  }) satisfies Partial<Handlers>

export const originProofRoutes = (service: OriginProofService) =>
  ({
    sitesGetOriginProof: ({ context, params }) => service.get(context, params.id),
    sitesCheckOriginProof: ({ context, params }) => service.check(context, params.id),
    sitesDeleteOriginProof: ({ context, params }) => service.remove(context, params.id),
  }) satisfies Partial<Handlers>

export const siteRoutes = (service: SiteService) =>
  ({
    sitesList: async ({ context, query, setHeader }) => {
      const page = await service.list(context, query)
      if (page.next !== null) setHeader('link', linkToNext('/api/sites', query, page.next))
      return page.items
    },
    sitesGet: ({ context, params, query }) => service.get(context, params.id, query.include),
    sitesCreate: ({ context, body }) => service.create(context, body),
    sitesUpdate: ({ context, params, body }) => service.update(context, params.id, body),
    sitesDelete: ({ context, params }) => service.remove(context, params.id),
    sitesEnable: ({ context, params }) => service.enable(context, params.id),
    sitesDisable: ({ context, params }) => service.disable(context, params.id),
    sitesSetRateLimiting: ({ context, body }) => service.setRateLimiting(context, body),
    sitesSetBlockList: ({ context, body }) => service.setBlockList(context, body),
    sitesAllowedHackerType: ({ context, body }) => service.allowedHackerType(context, body),
  }) satisfies Partial<Handlers>
