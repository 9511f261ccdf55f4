/**
 * The vendors' own libraries for browsers, each set up as its manual says and used by a shop's page. Bundled by esbuild from
 * the folder that they are installed in. `content` is what the visitor did and wrote: see `visits.ts`.
 */
import { Notifier } from '@airbrake/browser'
import Bugsnag from '@bugsnag/js'
import { datadogLogs } from '@datadog/browser-logs'
import { datadogRum } from '@datadog/browser-rum'
import { init as initElasticApm } from '@elastic/apm-rum'
import { initializeFaro } from '@grafana/faro-web-sdk'
import Honeybadger from '@honeybadger-io/js'
import { Logtail } from '@logtail/browser'
import { ApplicationInsights } from '@microsoft/applicationinsights-web'
import * as Sentry from '@sentry/browser'
import {
  newTracker,
  trackPageView,
  trackSelfDescribingEvent,
  trackStructEvent,
} from '@snowplow/browser-tracker'
import * as LaunchDarkly from 'launchdarkly-js-client-sdk'
import mixpanel from 'mixpanel-browser'
import Plausible from 'plausible-tracker'
import posthog from 'posthog-js'
import Rollbar from 'rollbar'
import { UnleashClient } from 'unleash-proxy-client'
import * as webVitals from 'web-vitals'

/** Errors as pages meet them, thrown so that they have a stack. */
function failures(content) {
  const acts = [
    () => content.missing.property.of.it,
    () => JSON.parse(`{"order": ${content.titles[0]}`),
    () => decodeURIComponent('%E0%A4%A'),
    () => {
      throw new Error(`Cannot save "${content.titles[1]}" for ${content.person}: ${content.paragraphs[0]}`)
    },
    () => {
      throw new TypeError(`Failed to fetch ${location.origin}/api/orders?name=${content.person}&sort=-date`)
    },
    () => document.querySelector(`#${content.person}`),
    () =>
      new Function('return (function checkout(cart) { return cart.items.map((item) => item.price) })({})')(),
  ]
  return acts.flatMap((act) => {
    try {
      act()
      return []
    } catch (error) {
      return [error]
    }
  })
}

/** What a site tracks, by the names that the manuals of analytics suggest. */
const events = (content) => [
  [
    'Page Viewed',
    { title: document.title, url: location.href, referrer: document.referrer, path: location.pathname },
  ],
  [
    'Products Searched',
    {
      query: content.queries[0],
      results: content.queries.length,
      filters: { price: '<100', brand: content.titles[2] },
    },
  ],
  [
    'Product Added',
    {
      name: content.titles[3],
      price: 19.9,
      currency: 'EUR',
      variant: 'red/XL',
      coupon: "MOTHER'S-DAY",
      image: `${location.origin}/img/1.png`,
    },
  ],
  [
    'Review Submitted',
    { author: content.person, email: content.email, text: content.paragraphs[1], stars: 4 },
  ],
  [
    'Element Clicked',
    {
      selector: 'div#root > main.shop > ul li:nth-child(3) > a[href="#buy"]',
      text: content.titles[4],
      x: 412,
      y: 88,
    },
  ],
]

const user = (content) => ({ id: content.userId, email: content.email, username: content.person })

const CLIENTS = {
  airbrake: (url, content) => {
    const notifier = new Notifier({ projectId: 1, projectKey: content.key, host: url, remoteConfig: false })
    for (const error of failures(content))
      notifier.notify({ error, context: { user: user(content) }, params: { note: content.paragraphs[2] } })
  },
  bugsnag: (url, content) => {
    const endpoints = { notify: `${url}/notify`, sessions: `${url}/sessions` }
    const client = Bugsnag.start({ apiKey: content.key, endpoints, user: user(content), logger: null })
    for (const [name, metadata] of events(content)) client.leaveBreadcrumb(name, metadata)
    for (const error of failures(content))
      client.notify(error, (event) => event.addMetadata('note', { text: content.paragraphs[2] }))
  },
  'datadog-logs': (url, content) => {
    datadogLogs.init({
      clientToken: content.key,
      proxy: `${url}/intake`,
      service: 'shop',
      env: 'prod',
      forwardErrorsToLogs: true,
      forwardConsoleLogs: 'all',
      sessionSampleRate: 100,
    })
    for (const [name, context] of events(content)) datadogLogs.logger.info(name, context)
    for (const line of content.logs) datadogLogs.logger.warn(line)
    for (const error of failures(content))
      datadogLogs.logger.error('checkout failed', { user: user(content) }, error)
  },
  'datadog-rum': (url, content) => {
    datadogRum.init({
      applicationId: content.userId,
      clientToken: content.key,
      proxy: `${url}/intake`,
      service: 'shop',
      trackUserInteractions: true,
      trackResources: true,
      trackLongTasks: true,
      sessionSampleRate: 100,
      sessionReplaySampleRate: 100,
    })
    datadogRum.setUser({ ...user(content), name: content.person })
    for (const [name, context] of events(content)) datadogRum.addAction(name, context)
    for (const error of failures(content)) datadogRum.addError(error, { note: content.paragraphs[2] })
  },
  'elastic-apm': (url, content) => {
    const apm = initElasticApm({
      serviceName: 'shop',
      serverUrl: url,
      environment: 'prod',
      pageLoadTransactionName: content.titles[0],
    })
    apm.setUserContext(user(content))
    apm.setCustomContext({ note: content.paragraphs[1] })
    for (const [name, labels] of events(content)) {
      const transaction = apm.startTransaction(name, 'custom', { managed: true })
      transaction?.addLabels(
        Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])),
      )
      transaction?.end()
    }
    for (const error of failures(content)) apm.captureError(error)
  },
  faro: (url, content) => {
    const faro = initializeFaro({
      url: `${url}/collect/${content.key}`,
      app: { name: 'shop', version: '2.4.1', environment: 'prod' },
    })
    faro.api.setUser(user(content))
    for (const [name, attributes] of events(content))
      faro.api.pushEvent(
        name,
        Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)])),
      )
    for (const line of content.logs) faro.api.pushLog([line, content.paragraphs[0]])
    for (const error of failures(content)) faro.api.pushError(error)
  },
  honeybadger: (url, content) => {
    Honeybadger.configure({ apiKey: content.key, endpoint: url, environment: 'prod', enableUncaught: true })
    Honeybadger.setContext({ user: user(content), note: content.paragraphs[1] })
    for (const [name, metadata] of events(content)) Honeybadger.addBreadcrumb(name, { metadata })
    for (const error of failures(content)) Honeybadger.notify(error)
  },
  'application-insights': (url, content) => {
    const client = new ApplicationInsights({
      config: {
        connectionString: `InstrumentationKey=${content.userId};IngestionEndpoint=${url}/`,
        maxBatchInterval: 200,
        enableAutoRouteTracking: true,
      },
    })
    client.loadAppInsights()
    client.trackPageView({ name: content.titles[0] })
    for (const [name, properties] of events(content)) client.trackEvent({ name, properties })
    for (const line of content.logs) client.trackTrace({ message: line })
    for (const exception of failures(content))
      client.trackException({ exception, properties: { note: content.paragraphs[1] } })
    client.flush()
  },
  launchdarkly: (url, content) => {
    const client = LaunchDarkly.initialize(
      content.key,
      {
        kind: 'user',
        key: content.userId,
        name: content.person,
        email: content.email,
        note: content.titles[1],
      },
      { baseUrl: url, eventsUrl: url, streamUrl: url, flushInterval: 2000 },
    )
    for (const [name, data] of events(content)) client.track(name, data)
    client.flush().catch(() => undefined)
  },
  logtail: (url, content) => {
    const logtail = new Logtail(content.key, { endpoint: url, batchInterval: 200 })
    for (const [name, context] of events(content)) void logtail.info(name, context)
    for (const line of content.logs) void logtail.warn(line)
    for (const error of failures(content)) void logtail.error(error)
  },
  mixpanel: (url, content) => {
    mixpanel.init(content.key, {
      api_host: url,
      batch_flush_interval_ms: 500,
      track_pageview: true,
      autocapture: true,
      persistence: 'localStorage',
    })
    mixpanel.identify(content.userId)
    mixpanel.people.set({ $name: content.person, $email: content.email, note: content.paragraphs[0] })
    for (const [name, properties] of events(content)) mixpanel.track(name, properties)
  },
  plausible: (url, content) => {
    const plausible = Plausible({ domain: 'shop.example.org', apiHost: url, trackLocalhost: true })
    plausible.trackPageview()
    for (const [name, properties] of events(content))
      plausible.trackEvent(name, {
        props: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)])),
      })
  },
  posthog: (url, content) => {
    posthog.init(`phc_${content.key}`, {
      api_host: url,
      capture_pageview: true,
      autocapture: true,
      request_batching: false,
      person_profiles: 'always',
      disable_external_dependency_loading: true,
    })
    posthog.identify(content.userId, { name: content.person, email: content.email })
    for (const [name, properties] of events(content)) posthog.capture(name, properties)
    for (const error of failures(content)) posthog.captureException(error, { note: content.paragraphs[1] })
  },
  rollbar: (url, content) => {
    const rollbar = new Rollbar({
      accessToken: content.key,
      endpoint: `${url}/api/1/item/`,
      captureUncaught: true,
      itemsPerMinute: 1000,
      payload: { person: user(content), environment: 'prod' },
    })
    for (const error of failures(content))
      rollbar.error(error, { note: content.paragraphs[1], items: events(content) })
    for (const line of content.logs) rollbar.warning(line)
  },
  sentry: (url, content) => {
    Sentry.init({
      dsn: `${url.replace('//', `//${content.key}@`)}/42`,
      release: 'shop@2.4.1',
      tracesSampleRate: 1,
      replaysSessionSampleRate: 1,
      integrations: [Sentry.browserTracingIntegration(), Sentry.replayIntegration({ maskAllText: false })],
      enableLogs: true,
    })
    Sentry.setUser(user(content))
    for (const [message, data] of events(content)) Sentry.addBreadcrumb({ category: 'shop', message, data })
    for (const error of failures(content))
      Sentry.captureException(error, { extra: { note: content.paragraphs[1] } })
    for (const line of content.logs) Sentry.captureMessage(line)
    Sentry.captureFeedback({ name: content.person, email: content.email, message: content.paragraphs[2] })
  },
  snowplow: (url, content) => {
    for (const [name, eventMethod] of [
      ['posting', 'post'],
      ['getting', 'get'],
    ]) {
      newTracker(name, url, {
        appId: 'shop',
        eventMethod,
        bufferSize: 1,
        contexts: { webPage: true, performanceTiming: true },
      })
      trackPageView({ title: content.titles[0] }, [name])
      for (const [action, data] of events(content)) {
        trackStructEvent(
          { category: 'shop', action, label: content.person, property: content.titles[1], value: 1.5 },
          [name],
        )
        trackSelfDescribingEvent(
          { event: { schema: 'iglu:org.example/shop_event/jsonschema/1-0-0', data } },
          [name],
        )
      }
    }
  },
  unleash: (url, content) => {
    const client = new UnleashClient({
      url: `${url}/api/frontend`,
      clientKey: content.key,
      appName: 'shop',
      metricsInterval: 1,
      context: { userId: content.userId, properties: { name: content.person, plan: content.titles[1] } },
    })
    client.start().catch(() => undefined)
    client.isEnabled('new-checkout')
  },
  'web-vitals': (url, content) => {
    const send = (metric) =>
      navigator.sendBeacon(
        `${url}/vitals`,
        JSON.stringify({ ...metric, entries: undefined, page: location.href, title: content.titles[0] }),
      )
    for (const on of [webVitals.onCLS, webVitals.onFCP, webVitals.onLCP, webVitals.onTTFB, webVitals.onINP])
      on(send, { reportAllChanges: true })
    const measured = {
      ...{ v: '2', tid: 'G-ABCDEF1234', dl: location.href, dt: document.title, dr: document.referrer },
      ...{ uid: content.userId, en: 'view_search_results', 'ep.search_term': content.queries[0] },
      ...{ 'epn.value': '19.90', ul: navigator.language, sr: '1440x900' },
    }
    navigator.sendBeacon(`${url}/g/collect?${new URLSearchParams(measured)}`)
  },
}

window.startClient = (name, url, content) => {
  CLIENTS[name](url, content)
}
window.clientNames = Object.keys(CLIENTS)
