import type { DeliveryState } from '@sallyport/contract'
import type { Input } from '../api.tsx'
import { useApiChange, useApiPages, useCreation } from '../api-query.ts'

const DELIVERIES_PAGE_ITEMS = 50

export const useDestinations = () => useApiPages(['destinations'], 'destinationsList', {})
export const useDestinationCreation = () => useCreation(['destinations'], 'destinationsCreate')
export const useDestinationRotation = () => useCreation(['destinations'], 'destinationsRotate')

/** Deliveries, newest first: of one destination or of all, in one state or in any. */
export const useDeliveries = (destination: string, state: DeliveryState | '') =>
  useApiPages(
    ['deliveries', destination, state],
    'deliveriesList',
    { query: { ...(destination && { destination }), ...(state && { state }) } },
    { pageItems: DELIVERIES_PAGE_ITEMS, keepsPrevious: true },
  )

/** Changes one destination, by its id. */
export const useDestinationUpdate = (id: string) =>
  useApiChange(
    (api, body: Input<'destinationsUpdate'>['body']) =>
      api.call('destinationsUpdate', { params: { id }, body }),
    (queryClient) => queryClient.invalidateQueries({ queryKey: ['destinations'] }),
  )
