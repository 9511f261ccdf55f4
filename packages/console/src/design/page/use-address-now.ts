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

/** Whether the viewer is still on a page, or on one below it, at the moment of the call: who left while something was sent is not led elsewhere by its answer. */
export function useIsStillAt(path: string): () => boolean {
  const addressNow = useAddressNow()
  return useCallback(() => {
    const { pathname } = addressNow()
    return pathname === path || pathname.startsWith(`${path}/`)
  }, [addressNow, path])
}
