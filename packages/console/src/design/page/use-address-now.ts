import { type ParsedLocation, useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Reads the address as it is at the moment of the call. What is drawn may be behind it: while the code of the next page loads, the page
 * that the viewer has left is drawn still.
 */
export function useAddressNow(): () => ParsedLocation {
  const router = useRouter()
  return useCallback(() => router.latestLocation, [router])
}
