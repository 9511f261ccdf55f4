/**
 * The entry, kept small: it finds out who is signed in before the console itself runs, so that a new tab asks the issuer at
 * once. The page preloads the console's code meanwhile (`build/preload.ts`), which then runs while the issuer's answer is
 * exchanged.
 */
import './design/mantine.css'
import './design/font.css'
import './design/global.css'
import { loadConsoleConfig } from './session/console-config.ts'
import { openSession } from './session/session.ts'

const loadConsole = () => import('./app/start.tsx')

try {
  const config = await loadConsoleConfig()
  const session = await openSession(config, () => void loadConsole())
  const { start, signedInElsewhere } = await loadConsole()
  if (session) start(config, session)
  else signedInElsewhere()
} catch (error) {
  const { startFailed } = await loadConsole()
  startFailed(error)
}
