import { MantineProvider } from '@mantine/core'
import { EmptyState } from '../design/states.tsx'
import { theme } from '../design/theme.ts'
import { colorSchemeManager, styleNonce } from './color-scheme.ts'

/** The whole page of a tab that signed in for another one, where the browser does not let it close itself. */
export function SignedInElsewhere() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={styleNonce}
    >
      <main>
        <title>Signed in · Sallyport</title>
        <EmptyState icon="check" title="You are signed in">
          Go back to the tab that you came from: it goes on where it was. This one can be closed.
        </EmptyState>
      </main>
    </MantineProvider>
  )
}
