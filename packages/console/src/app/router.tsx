/** Every address of the console. Pages are loaded when they are first opened. */
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { QueryContext } from '../api/query-client.ts'
import { EmptyState, LoadingState } from '../design/feedback/states.tsx'
import { Page } from '../design/page/panel.tsx'
import { prefetchOverview } from '../pages/overview/prefetch.ts'
import { readCompareSearch } from '../pages/researchers/compare/search.ts'
import { readSetupSearch } from '../pages/setup/search.ts'
import { prefetchTraffic } from '../pages/traffic/prefetch.ts'
import { parseSearch, readTrafficSearch, readWindow, stringifySearch } from '../parts/traffic/search.ts'
import { PageFailure } from './page-failure.tsx'
import { Shell } from './shell/shell.tsx'
import { texts } from './texts.ts'

const root = createRootRouteWithContext<QueryContext>()({ component: Shell })

/** A page that asks nothing of its address but what is in the path. `name` is what its module exports it as. */
const pageAt = <const Path extends string, Name extends string>(
  path: Path,
  name: Name,
  load: () => Promise<Record<Name, () => ReactNode>>,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) })

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
  validateSearch: readSetupSearch,
  component: lazyRouteComponent(() => import('../pages/setup/setup-page.tsx'), 'SetupPage'),
})
const sites = pageAt('/sites', 'SitesPage', () => import('../pages/sites/sites-page.tsx'))
const siteIndex = createRoute({
  getParentRoute: () => root,
  path: '/sites/$siteId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/sites/$siteId/$tab', params: { siteId: params.siteId, tab: 'settings' } })
  },
})
const site = pageAt('/sites/$siteId/$tab', 'SitePage', () => import('../pages/sites/site-page.tsx'))
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
const researchers = pageAt(
  '/researchers',
  'ResearchersPage',
  () => import('../pages/researchers/researchers-page.tsx'),
)
const researcher = pageAt(
  '/researchers/$researcherId',
  'ResearcherPage',
  () => import('../pages/researchers/researcher-page.tsx'),
)
const comparedResearchers = createRoute({
  getParentRoute: () => root,
  path: '/researchers/compare',
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import('../pages/researchers/compare/compare-page.tsx'), 'ComparePage'),
})
const projects = pageAt('/projects', 'ProjectsPage', () => import('../pages/projects/projects-page.tsx'))
const projectIndex = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/projects/$projectId/$tab', params: { ...params, tab: 'coverage' } })
  },
})
const project = pageAt(
  '/projects/$projectId/$tab',
  'ProjectPage',
  () => import('../pages/projects/project-page.tsx'),
)
const evidence = pageAt('/evidence', 'EvidencePage', () => import('../pages/evidence/evidence-page.tsx'))
const groups = pageAt('/groups', 'GroupsPage', () => import('../pages/groups/groups-page.tsx'))
const gateways = pageAt('/gateways', 'GatewaysPage', () => import('../pages/gateways/gateways-page.tsx'))
const organizationIndex = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  beforeLoad: () => {
    throw redirect({ to: '/organization/$tab', params: { tab: 'details' } })
  },
})
const organization = pageAt(
  '/organization/$tab',
  'OrganizationPage',
  () => import('../pages/organization/organization-page.tsx'),
)

const routeTree = root.addChildren([
  overview,
  setup,
  sites,
  siteIndex,
  site,
  traffic,
  firewall,
  researchers,
  comparedResearchers,
  researcher,
  projects,
  projectIndex,
  project,
  evidence,
  groups,
  gateways,
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
      <Page title={texts.pageNotFound}>
        <EmptyState icon="search" title={texts.nothingIsHere}>
          {texts.nothingIsHereBody}
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
