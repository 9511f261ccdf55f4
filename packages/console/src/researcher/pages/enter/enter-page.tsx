/**
 * Lets a signed-in browser into a gated host. Anybody can write the address that leads here, so it decides nothing: the site
 * must be one of the researcher's own, and the nonce in the address must be the one that this very browser has at that site.
 * Otherwise somebody who began a sign-in in another browser would be let in as this researcher.
 */
import type { GateCode, GateCodeRequest, GateMe } from '@sallyport/contract'
import { useCallback, useContext, useEffect, useState } from 'react'
import { callGate, refusalOf } from '../../api/gate-api.ts'
import { SessionEnded } from '../../api/use-gate-query.ts'
import { EnterStep, type EntryStep } from './enter-step.tsx'
import { findSignInState, type RequestedSignIn } from './sign-in-state.ts'

export function EnterPage({ me, query }: { readonly me: GateMe; readonly query: string }) {
  const asked = new URLSearchParams(query)
  const request = { host: asked.get('host') ?? '', nonce: asked.get('nonce') ?? '' }
  const to = pathOf(asked.get('to'))
  const { step, enter } = useEntry(request, to, me.researcher.id)
  return <EnterStep step={step} me={me} to={to} onReplace={() => void enter(true)} />
}

function useEntry({ host, nonce }: RequestedSignIn, to: string, researcherId: string) {
  const [step, setStep] = useState<EntryStep>({ at: 'looking' })
  const sessionEnded = useContext(SessionEnded)
  const refuse = useCallback(
    (error: unknown) => {
      const refusal = refusalOf(error)
      if (refusal.status === 401) sessionEnded()
      setStep({ at: 'refused', refusal })
    },
    [sessionEnded],
  )
  const enter = useCallback(
    async (replace: boolean) => {
      setStep({ at: 'redirecting' })
      const body: GateCodeRequest = { host, nonce, to, ...(replace ? { replace } : {}) }
      try {
        const code = await callGate<GateCode>('codes', { method: 'POST', body })
        location.replace(code.location)
      } catch (error) {
        refuse(error)
      }
    },
    [host, nonce, to, refuse],
  )
  useEffect(() => {
    const stop = new AbortController()
    void findSignInState({ host, nonce }, researcherId, stop.signal).then(
      (state) => {
        if (stop.signal.aborted) return
        if (state.at === 'begun-here') void enter(false)
        else if (state.at === 'signed-in-there') location.replace(state.site.url + to)
        else setStep(state)
      },
      (error: unknown) => {
        if (!stop.signal.aborted) refuse(error)
      },
    )
    return () => stop.abort()
  }, [host, nonce, to, researcherId, enter, refuse])
  return { step, enter }
}

/** The path of the host to return to; `/` where the address names no path. */
const pathOf = (to: string | null): string => (to !== null && /^\/(?![/\\])/.test(to) ? to : '/')
