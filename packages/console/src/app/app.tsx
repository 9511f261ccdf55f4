import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { NoticesProvider } from '../design/notices.tsx'
import { theme } from '../design/theme.ts'
import { TimeProvider } from '../design/time.tsx'
import { colorSchemeManager, styleNonce } from './color-scheme.ts'
import { createQueryClient } from './query-client.ts'
import { createConsoleRouter } from './router.tsx'
import { type Services, ServicesProvider } from './services.tsx'

export function App(services: Services) {
  const queryClient = useMemo(createQueryClient, [])
  const router = useMemo(createConsoleRouter, [])
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={styleNonce}
    >
      <ServicesProvider value={services}>
        <QueryClientProvider client={queryClient}>
          <TimeProvider>
            <NoticesProvider>
              <RouterProvider router={router} />
            </NoticesProvider>
          </TimeProvider>
        </QueryClientProvider>
      </ServicesProvider>
    </MantineProvider>
  )
}
