/**
 * The entry, kept small: it finds out who is signed in before the console itself runs, so that a new tab redirects to the
 * issuer at once. The page preloads the console's code meanwhile (`build/preload.ts`), which then runs while the issuer's
 * answer is exchanged.
 */
import './design/mantine.css'
import './design/font.css'
import './design/global.css'
import { loadConsoleConfig } from './session/console-config.ts'
import { needsNoRedirect, openSession } from './session/session.ts'

const loadConsole = () => import('./app/start.tsx')
const opening = loadConsoleConfig().then(async (config) => ({ config, session: await openSession(config) }))
const loading = needsNoRedirect() ? loadConsole() : opening.then(loadConsole)

try {
  const [{ config, session }, { start, signedInElsewhere }] = await Promise.all([opening, loading])
  if (session) start(config, session)
  else signedInElsewhere()
} catch (error) {
  const { startFailed } = await loadConsole()
  startFailed(error)
}
