/** Every address of the console. Pages are loaded when they are first opened. */
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { QueryContext } from '../api/query-client.ts'
import { EmptyState, LoadingState } from '../design/feedback/states.tsx'
import { Page } from '../design/page/panel.tsx'
import { prefetchOverview } from '../pages/overview/prefetch.ts'
import { prefetchTraffic } from '../pages/traffic/prefetch.ts'
import { parseSearch, readTrafficSearch, readWindow, stringifySearch } from '../parts/traffic/search.ts'
import { PageFailure } from './page-failure.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRouteWithContext<QueryContext>()({ component: Shell })

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: readWindow,
  loader: ({ context, location, cause }) =>
    cause === 'enter' ? prefetchOverview(context, readWindow(location.search)) : undefined,
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/setup/setup-page.tsx'), 'SetupPage'),
})
const sites = createRoute({
  getParentRoute: () => root,
  path: '/sites',
  component: lazyRouteComponent(() => import('../pages/sites/sites-page.tsx'), 'SitesPage'),
})
const siteIndex = createRoute({
  getParentRoute: () => root,
  path: '/sites/$siteId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/sites/$siteId/$tab', params: { siteId: params.siteId, tab: 'settings' } })
  },
})
const site = createRoute({
  getParentRoute: () => root,
  path: '/sites/$siteId/$tab',
  component: lazyRouteComponent(() => import('../pages/sites/site-page.tsx'), 'SitePage'),
})
const traffic = createRoute({
  getParentRoute: () => root,
  path: '/traffic',
  validateSearch: readTrafficSearch,
  loader: ({ context, location, cause }) =>
    cause === 'enter' ? prefetchTraffic(context, readTrafficSearch(location.search)) : undefined,
  component: lazyRouteComponent(() => import('../pages/traffic/traffic-page.tsx'), 'TrafficPage'),
})
const firewall = createRoute({
  getParentRoute: () => root,
  path: '/firewall',
  validateSearch: readTrafficSearch,
  component: lazyRouteComponent(() => import('../pages/firewall/firewall-page.tsx'), 'FirewallPage'),
})
const researchers = createRoute({
  getParentRoute: () => root,
  path: '/researchers',
  component: lazyRouteComponent(() => import('../pages/researchers/researchers-page.tsx'), 'ResearchersPage'),
})
const researcher = createRoute({
  getParentRoute: () => root,
  path: '/researchers/$researcherId',
  component: lazyRouteComponent(() => import('../pages/researchers/researcher-page.tsx'), 'ResearcherPage'),
})
const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
})
const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('../pages/projects/project-page.tsx'), 'ProjectPage'),
})
const organizationIndex = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  beforeLoad: () => {
    throw redirect({ to: '/organization/$tab', params: { tab: 'members' } })
  },
})
const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization/$tab',
  component: lazyRouteComponent(
    () => import('../pages/organization/organization-page.tsx'),
    'OrganizationPage',
  ),
})

const routeTree = root.addChildren([
  overview,
  setup,
  sites,
  siteIndex,
  site,
  traffic,
  firewall,
  researchers,
  researcher,
  projects,
  project,
  organizationIndex,
  organization,
])

export const createConsoleRouter = (context: QueryContext) =>
  createRouter({
    routeTree,
    context,
    basepath: '/console',
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingComponent: () => <LoadingState />,
    defaultErrorComponent: PageFailure,
    defaultNotFoundComponent: () => (
      <Page title="There is no such page">
        <EmptyState icon="search" title="Nothing is here">
          The address may be mistyped, or the thing it named was removed.
        </EmptyState>
      </Page>
    ),
    scrollRestoration: true,
  })

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter
  }
}
