/** HTTP in and out of sites. */
import type { Handlers } from '../../http/handlers.ts'
import type { SiteService } from './service.ts'

export const siteRoutes = (service: SiteService) =>
  ({
    sitesList: async ({ context, query, setHeader }) => {
      const page = await service.list(context, query)
      if (page.next !== null) setHeader('link', `<${nextPage(query, page.next)}>; rel="next"`)
      return page.items
    },
    sitesGet: ({ context, params }) => service.get(context, params.id),
    sitesCreate: ({ context, body }) => service.create(context, body),
    sitesUpdate: ({ context, params, body }) => service.update(context, params.id, body),
    sitesDelete: async ({ context, params }) => {
      await service.remove(context, params.id)
      return undefined
    },
    sitesEnable: ({ context, params }) => service.enable(context, params.id),
    sitesDisable: ({ context, params }) => service.disable(context, params.id),
    sitesSetRateLimiting: ({ context, body }) => service.setRateLimiting(context, body),
    sitesSetBlockList: ({ context, body }) => service.setBlockList(context, body),
    sitesAllowedHackerType: ({ context, body }) => service.allowedHackerType(context, body),
  }) satisfies Partial<Handlers>

function nextPage(query: Readonly<Record<string, unknown>>, cursor: string): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && name !== 'cursor') parameters.set(name, String(value))
  parameters.set('cursor', cursor)
  return `/api/sites?${parameters}`
}
