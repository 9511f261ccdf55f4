import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type Services, ServicesProvider } from '../api/api.tsx'
import { NoticesProvider } from '../design/feedback/notices.tsx'
import { TimeZoneProvider } from '../session/time-zone.tsx'
import type { ConsoleRouter } from './router.tsx'
import { SignInAgain } from './sign-in-again.tsx'

export function App(props: {
  readonly services: Services
  readonly queryClient: QueryClient
  readonly router: ConsoleRouter
}) {
  const { services, queryClient, router } = props
  return (
    <ServicesProvider value={services}>
      <QueryClientProvider client={queryClient}>
        <TimeZoneProvider>
          <NoticesProvider>
            <RouterProvider router={router} />
            <SignInAgain />
          </NoticesProvider>
        </TimeZoneProvider>
      </QueryClientProvider>
    </ServicesProvider>
  )
}
