/** What can be recorded, and which of it rules and weights must not be fitted to. */
import { git } from './applications/files/git.ts'
import { webdav } from './applications/files/webdav.ts'
import { wordpress } from './applications/publishing/wordpress.ts'
import { dokuwiki } from './applications/wikis/dokuwiki.ts'
import { mediawiki } from './applications/wikis/mediawiki.ts'
import { tiddlywiki } from './applications/wikis/tiddlywiki.ts'
import { jupyter } from './applications/work/jupyter.ts'
import { nodeRed } from './applications/work/node-red.ts'
import { prometheus } from './applications/work/prometheus.ts'
import { radicale } from './applications/work/radicale.ts'
import type { RecordedApplication } from './session.ts'
import { TELEMETRY } from './telemetry/telemetry.ts'

/** Every application, in the order in which they are recorded. */
export const APPLICATIONS: readonly RecordedApplication[] = [
  ...[
    dokuwiki,
    git,
    jupyter,
    mediawiki,
    nodeRed,
    prometheus,
    radicale,

    tiddlywiki,
    webdav,
    wordpress,
  ],
  ...TELEMETRY,
]

/**
 * Kept out of every fit, so that what is measured on them was not learned from them. Of applications of a kind one is in
 * and one is out, and every second library of telemetry by name; all were chosen before anything was judged. A name stays on
 * its side whatever is added or removed.
 */
const HELD_OUT: ReadonlySet<string> = new Set([
  ...['jupyter', 'mediawiki', 'prometheus', 'radicale', 'tiddlywiki', 'webdav'],
  ...[
    ...['application-insights', 'datadog-rum', 'faro', 'launchdarkly', 'matomo', 'opentelemetry-json'],
    ...['opentelemetry-protobuf', 'posthog', 'rollbar', 'sentry', 'unleash'],
  ].map((name) => `telemetry-${name}`),
])

/** Whether an application is kept out of every fit. */
export const isHeldOut = (application: string): boolean => HELD_OUT.has(application)
