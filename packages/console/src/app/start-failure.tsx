import { MantineProvider } from '@mantine/core'
import { ErrorState } from '../design/states.tsx'
import { theme } from '../design/theme.ts'
import { colorSchemeManager, styleNonce } from './color-scheme.ts'

/** The whole page when the console cannot start: no settings, or the issuer refused. */
export function StartFailure({ error }: { readonly error: unknown }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={styleNonce}
    >
      <main>
        <ErrorState error={error} onRetry={() => location.assign('/console/')} />
      </main>
    </MantineProvider>
  )
}
