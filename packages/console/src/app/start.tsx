import { MantineProvider } from '@mantine/core'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { createApi } from '../api/api.tsx'
import { createQueryClient } from '../api/query-client.ts'
import { colorSchemeManager, styleNonce } from '../design/color-scheme.ts'
import { EmptyState, ErrorState } from '../design/feedback/states.tsx'
import { theme } from '../design/theme.ts'
import type { ConsoleConfig } from '../session/console-config.ts'
import type { ConsoleSession } from '../session/session.ts'
import { App } from './app.tsx'
import { createConsoleRouter } from './router.tsx'
import { texts } from './texts.ts'

/** Shows the console to the viewer who is signed in. */
export function start(config: ConsoleConfig, session: ConsoleSession): void {
  const { api, reach } = createApi(session)
  const queryClient = createQueryClient()
  const router = createConsoleRouter({ api, queryClient })
  // Loads the first page's code and data before anything is drawn.
  void router.load()
  show(<App services={{ config, session, api, reach }} queryClient={queryClient} router={router} />)
}

/** Says that the tab for which this one was opened is signed in. */
export function signedInElsewhere(): void {
  window.close()
  show(<SignedInElsewhere />)
}

/** Says why the console cannot start. */
export function startFailed(error: unknown): void {
  show(<StartFailure error={error} />)
}

function show(page: ReactNode): void {
  const element = document.getElementById('root')
  if (!element) throw new Error('the page has no root element')
  createRoot(element).render(
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={styleNonce}
    >
      {page}
    </MantineProvider>,
  )
}

/** The whole page of a tab that signed in for another one, where the browser does not let it close itself. */
function SignedInElsewhere() {
  return (
    <main>
      <title>{texts.signedInSallyport}</title>
      <EmptyState icon="check" title={texts.youAreSigned}>
        {texts.youAreSignedBody}
      </EmptyState>
    </main>
  )
}

/** The whole page when the console cannot start: no settings, or the issuer refused. */
function StartFailure({ error }: { readonly error: unknown }) {
  return (
    <main>
      <ErrorState error={error} onRetry={() => location.assign('/console/')} />
    </main>
  )
}
