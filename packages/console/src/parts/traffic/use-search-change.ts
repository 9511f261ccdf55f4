import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useAddressNow } from '../../design/page/use-address-now.ts'
import { changedSearch, readTrafficSearch, type SearchProps } from './search.ts'

/**
 * Changes the search of the page at `path`. What is changed is the address of that moment, so that of two changes both hold, also where
 * the first is not drawn yet; who has left the page meanwhile is not brought back.
 */
export function useSearchChange(path: '/traffic' | '/firewall'): SearchProps['onChange'] {
  const navigate = useNavigate()
  const addressNow = useAddressNow()
  return useCallback(
    (change) => {
      const address = addressNow()
      if (address.pathname !== path) return
      const now = readTrafficSearch(address.search)
      const part = typeof change === 'function' ? change(now) : change
      void navigate({ to: path, search: changedSearch(now, part) })
    },
    [navigate, addressNow, path],
  )
}
