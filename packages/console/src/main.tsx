import '@mantine/core/styles.layer.css'
import './design/global.css'
import { createRoot } from 'react-dom/client'
import { createApi } from './api/api.ts'
import { App } from './app/app.tsx'
import { StartFailure } from './app/start-failure.tsx'
import { loadConsoleConfig } from './session/console-config.ts'
import { openSession } from './session/session.ts'

const element = document.getElementById('root')
if (!element) throw new Error('the page has no root element')
const root = createRoot(element)

try {
  const config = await loadConsoleConfig()
  const session = await openSession(config)
  root.render(<App config={config} session={session} api={createApi(session)} />)
} catch (error) {
  root.render(<StartFailure error={error} />)
}
