import { useApiChange, useApiPages, useCreation } from '../api-query.ts'

const POLL_MS = 2_000

/** The gateways as they are now, polled. */
export const useGateways = () => useApiPages(['gateways'], 'gatewaysList', {}, { refetchInterval: POLL_MS })

/** Waits no longer for a gateway, by its name. */
export const useGatewayForgetting = () =>
  useApiChange(
    (api, id: string) => api.call('gatewaysForget', { body: { id } }),
    (queryClient) =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['gateways'] }),
        queryClient.invalidateQueries({ queryKey: ['sites'] }),
      ]),
  )

/** Makes a token that enrols a gateway. */
export const useGatewayEnrolment = () => useCreation(['gateways'], 'gatewaysEnroll')

/** Lets a gateway in no more, by its name. */
export const useGatewayRevocation = () =>
  useApiChange(
    (api, id: string) => api.call('gatewaysRevoke', { body: { id } }),
    (queryClient) => queryClient.invalidateQueries({ queryKey: ['gateways'] }),
  )
