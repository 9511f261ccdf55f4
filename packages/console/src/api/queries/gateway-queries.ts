import { useApiChange, useApiQuery, useCreation } from '../api-query.ts'

const POLL_MS = 2_000
const GATEWAYS_MAX = 500

/** The gateways as they are now, polled. */
export const useGateways = () =>
  useApiQuery(['gateways'], 'gatewaysList', { query: { limit: GATEWAYS_MAX } }, { refetchInterval: POLL_MS })

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
