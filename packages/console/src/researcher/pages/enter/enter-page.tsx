/**
 * Takes a signed-in browser into a gated host. The address that leads here can be written by anybody, so it decides
 * nothing: the site is looked up among the researcher's own, and the nonce in the address must be the one that this very
 * browser has at that site. Otherwise somebody who began a sign-in elsewhere would be let in as this researcher.
 */
import type { GateCode, GateCodeRequest, GateMe } from '@sallyport/contract'
import { type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { call, type GateRefusal, refusalOf } from '../../api/gate-api.ts'
import { SessionEnded } from '../../api/use-gate.ts'
import { nameOf, useTitle } from '../../app/frame.tsx'
import { enterUrl } from '../../parts/site/site-state.ts'
import { type SignInStanding, standingOf } from './sign-in-standing.ts'

/** How it stands: each is a page of its own, but for those that pass by. */
type Step =
  | { readonly at: 'looking' }
  | { readonly at: 'leaving' }
  | { readonly at: 'refused'; readonly refusal: GateRefusal }
  | SignInStanding

export function EnterPage({ me, query }: { readonly me: GateMe; readonly query: string }) {
  const [step, setStep] = useState<Step>({ at: 'looking' })
  const asked = new URLSearchParams(query)
  const host = asked.get('host') ?? ''
  const nonce = asked.get('nonce') ?? ''
  const to = pathOf(asked.get('to'))
  const researcherId = me.researcher.id
  const sessionEnded = useContext(SessionEnded)

  const refuse = useCallback(
    (error: unknown) => {
      const refusal = refusalOf(error)
      if (refusal.status === 401) sessionEnded()
      setStep({ at: 'refused', refusal })
    },
    [sessionEnded],
  )

  const leave = useCallback(
    async (replace: boolean) => {
      setStep({ at: 'leaving' })
      const body: GateCodeRequest = { host, nonce, to, ...(replace ? { replace } : {}) }
      try {
        const code = await call<GateCode>('codes', { method: 'POST', body })
        location.replace(code.location)
      } catch (error) {
        refuse(error)
      }
    },
    [host, nonce, to, refuse],
  )

  useEffect(() => {
    const stop = new AbortController()
    void standingOf({ host, nonce }, researcherId, stop.signal).then(
      (standing) => {
        if (stop.signal.aborted) return
        if (standing.at === 'begun-here') void leave(false)
        else if (standing.at === 'there') location.replace(standing.site.url + to)
        else setStep(standing)
      },
      (error: unknown) => {
        if (!stop.signal.aborted) refuse(error)
      },
    )
    return () => stop.abort()
  }, [host, nonce, to, researcherId, leave, refuse])

  switch (step.at) {
    case 'looking':
    case 'leaving':
    case 'begun-here':
    case 'there':
      return <p role="status">Loading…</p>
    case 'no-site':
      return (
        <Said title="This leads to no site of yours">
          <p role="alert">
            The link does not name a site that {me.organization} has opened to you, or is not whole.
          </p>
        </Said>
      )
    case 'refused':
      return (
        <Said title="The gate did not let you in">
          <p role="alert">{step.refusal.message}</p>
          <button type="button" onClick={() => location.reload()}>
            Try again
          </button>
        </Said>
      )
    case 'begun-elsewhere':
      return (
        <Said title="This sign-in was not begun in this browser">
          <p role="alert">
            Somebody else may have begun it, to be let in under your name; or it took too long. Nothing was
            given away. If it was you who wanted to enter {step.site.gatedName}, begin again:
          </p>
          <a href={enterUrl(step.site, to)}>Enter {step.site.gatedName}</a>
        </Said>
      )
    case 'unanswered':
      return (
        <Said title={`${step.site.gatedName} does not answer the gate`}>
          <p role="alert">
            So it is not known whether this sign-in was begun in this browser, and nobody was let in. If this
            stays so, remove the cookies that {step.site.gatedName} has left in this browser.
          </p>
          <button type="button" onClick={() => location.reload()}>
            Try again
          </button>
        </Said>
      )
    case 'unseen':
      return (
        <Said title={`Enter ${step.site.gatedName} as ${nameOf(me.researcher)}?`}>
          <p>
            Your browser does not let the gate see whether it was here that this sign-in was begun. Go on only
            if you have just opened {step.site.gatedName} yourself: otherwise somebody else would be let in
            under your name. If somebody else is signed in there in this browser, you take their place.
          </p>
          <Choice yes="Enter" onYes={() => void leave(true)} />
        </Said>
      )
    case 'other-session':
      return (
        <Said title={`Enter ${step.site.gatedName} as ${nameOf(me.researcher)}?`}>
          <p role="alert">
            Another researcher is signed in at {step.site.gatedName} in this browser. Go on only if you mean
            to take their place: what this browser sends there is recorded under your name from then on.
          </p>
          <Choice yes="Replace that session" onYes={() => void leave(true)} />
        </Said>
      )
  }
}

function Said({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <div className="narrow">
      <h1>{title}</h1>
      <section className="panel">{children}</section>
    </div>
  )
}

function Choice({ yes, onYes }: { readonly yes: string; readonly onYes: () => void }) {
  return (
    <div className="row">
      <button type="button" onClick={onYes}>
        {yes}
      </button>
      <a href="/">Do not enter</a>
    </div>
  )
}

/** Where to come back to: a path of that host, and its beginning where the address names anything else. */
const pathOf = (to: string | null): string => (to !== null && /^\/(?![/\\])/.test(to) ? to : '/')
