import { useQuery } from '@tanstack/react-query'
import { texts } from './texts.ts'

const TIMEOUT_MS = 5_000
const FINGERPRINT = /^sha256:[0-9a-f]{64}$/

/** The fingerprint of the key that signs this installation's evidence, which is public. It changes with the installation's secret key alone. */
export const useEvidenceKey = () =>
  useQuery({
    queryKey: ['evidence-key'],
    queryFn: async ({ signal }): Promise<string> => {
      const answer = await fetch('/.well-known/sallyport/evidence-key', {
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      const { fingerprint }: { fingerprint?: unknown } = answer.ok ? await answer.json() : {}
      if (typeof fingerprint !== 'string' || !FINGERPRINT.test(fingerprint))
        throw new Error(texts.theControlPlaneDid)
      return fingerprint
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
