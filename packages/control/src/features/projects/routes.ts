/** HTTP in and out of projects and their items. */
import type { Handlers } from '../../http/handlers.ts'
import { linkToNext } from '../../http/request/paging.ts'
import type { CheckService } from './checks/service.ts'
import type { ProjectService } from './service.ts'

export const projectRoutes = (service: ProjectService) =>
  ({
    projectsUpdateProjectItem: ({ context, body }) => service.updateItem(context, body),
    projectsReplaceNamed: ({ context, body }) => service.replace(context, body.id, body),
    projectsListAllItems: async ({ context, query, setHeader }) => {
      const page = await service.listAllItems(context, query)
      if (page.next !== null) setHeader('link', linkToNext('/api/Projects/getProjectItems', query, page.next))
      return page.items
    },
    projectsGetProjectItem: ({ context, params }) => service.getItem(context, params.id),
    projectsCreateProjectItem: ({ context, body }) => service.updateItem(context, body),
    projectsList: ({ context, query }) => service.list(context, query),
    projectsCreate: ({ context, body }) => service.create(context, body),
    projectsGet: ({ context, params }) => service.get(context, params.id),
    projectsReplace: ({ context, params, body }) => service.replace(context, params.id, body),
    projectsDelete: ({ context, params }) => service.remove(context, params.id),
    projectsListItems: ({ context, params, query }) => service.listItems(context, params.id, query),
    projectsGetItem: ({ context, params }) => service.getItem(context, params.id),
    projectsDeleteItem: ({ context, params }) => service.removeItem(context, params.id),
  }) satisfies Partial<Handlers>

export const projectCheckRoutes = (service: CheckService) =>
  ({
    projectsListChecks: ({ context, params, query }) => service.list(context, params.id, query),
    projectsExportChecks: ({ context, params, query }) => service.exported(context, params.id, query),
    projectsGetCheck: ({ context, params }) => service.get(context, params.id),
    projectsSetCheck: ({ context, params, body }) => service.set(context, params.id, body),
  }) satisfies Partial<Handlers>
