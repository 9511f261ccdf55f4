/**
 * The entry, kept small: it settles who is signed in before the console itself is run, so that a new tab leaves for the
 * issuer at once. The page asks for the console's code meanwhile (`build/preload.ts`), which then runs while the
 * issuer's answer is exchanged.
 */
import './design/mantine.css'
import './design/global.css'
import { loadConsoleConfig } from './session/console-config.ts'
import { openSession, staysHere } from './session/session.ts'

const loadConsole = () => import('./app/start.tsx')
const opening = loadConsoleConfig().then(async (config) => ({ config, session: await openSession(config) }))
const loading = staysHere() ? loadConsole() : opening.then(loadConsole)

try {
  const [{ config, session }, { start, signedInElsewhere }] = await Promise.all([opening, loading])
  if (session) start(config, session)
  else signedInElsewhere()
} catch (error) {
  const { startFailed } = await loadConsole()
  startFailed(error)
}
