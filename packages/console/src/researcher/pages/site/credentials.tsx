import type { ResearcherPageCredentials, ResearcherPageScope } from '@sallyport/contract'
import { useState } from 'react'
import { callGate, refusalOf } from '../../api/gate-api.ts'
import { useGateQuery } from '../../api/use-gate-query.ts'
import { texts } from './texts.ts'

/** Accounts for testing, revealed on a click; the organization sees each time. */
export function Credentials({ api }: { readonly api: string }) {
  const { data: scope } = useGateQuery<ResearcherPageScope>(`${api}scope`)
  const [shown, setShown] = useState('')
  const [fault, setFault] = useState('')
  if (!scope?.hasCredentials) return null
  const reveal = () =>
    callGate<ResearcherPageCredentials>(`${api}credentials`, { method: 'POST', body: {} }).then(
      (answer) => {
        setShown(answer.credentials)
        setFault('')
      },
      (error: unknown) => setFault(refusalOf(error).message),
    )
  return (
    <section className="panel" aria-labelledby="credentials">
      <h2 id="credentials">{texts.credentialsForTesting}</h2>
      {shown ? (
        <>
          <pre className="words">{shown}</pre>
          <button type="button" onClick={() => setShown('')}>
            {texts.hide}
          </button>
        </>
      ) : (
        <>
          <p className="soft">{texts.eachTimeYouReveal}</p>
          <button type="button" onClick={() => void reveal()}>
            {texts.reveal}
          </button>
        </>
      )}
      {fault ? <p role="alert">{fault}</p> : null}
    </section>
  )
}
