/** HTTP in and out of the calls on sites that the original interface has: each does what an operation of ours does. */
import { MAIN_DOCUMENT } from '@sallyport/contract'
import type { Handlers } from '../../../http/handlers.ts'
import { normalizeBlockList } from '../block-list.ts'
import type { SiteDocumentService } from '../documents/service.ts'
import type { SiteService } from '../service.ts'
import { blockListJsonOf } from './block-list-json.ts'
import type { ResearcherListService } from './researcher-list.ts'

export const originalSiteRoutes = (
  sites: Pick<SiteService, 'enable' | 'get' | 'update' | 'setBlockList'>,
  researchers: ResearcherListService,
  documents: Pick<SiteDocumentService, 'set'>,
) =>
  ({
    sitesEnableByGet: ({ context, params }) => sites.enable(context, params.id),
    sitesStart: ({ context, body: { id, startDate } }) =>
      sites.update(context, id, { isActive: true, startDate }),
    sitesStop: ({ context, body: { id, stopDate } }) => sites.update(context, id, { stopDate }),
    sitesSetCredentials: ({ context, body: { id, credentials } }) =>
      sites.update(context, id, { credentials }),
    sitesSetInstructions: ({ context, body: { id, instructions } }) =>
      sites.update(context, id, { instructions }),
    sitesListHackerEmails: ({ context, params }) => researchers.list(context, params.id),
    sitesAddHacker: ({ context, body }) => researchers.add(context, body),
    sitesRemoveHacker: ({ context, body }) => researchers.remove(context, body),
    sitesGetBlockListJson: async ({ context, params }) => {
      const { body, version } = await sites.get(context, params.id)
      return { body: { blockListJson: blockListJsonOf(body.blockList) }, version }
    },
    sitesSetBlockListJson: async ({ context, body: { siteId, blockListJson } }) => {
      const blockList = normalizeBlockList(blockListJson, '/blockListJson')
      await sites.setBlockList(context, { id: siteId, blockList })
      return {}
    },
    sitesUploadOpenApiSchema: async ({ context, body: { siteId }, document, fileName }) => {
      await documents.set(context, siteId, MAIN_DOCUMENT, document)
      return {
        message: 'File uploaded successfully',
        fileName,
        url: `/api/Sites/getAPIdefinition/${siteId}`,
      }
    },
  }) satisfies Partial<Handlers>
