import type { ResearcherPageCredentials, ResearcherPageScope } from '@sallyport/contract'
import { useState } from 'react'
import { callGate, refusalOf } from '../../api/gate-api.ts'
import { useGateQuery } from '../../api/use-gate-query.ts'

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
      <h2 id="credentials">Credentials for testing</h2>
      {shown ? (
        <>
          <pre className="words">{shown}</pre>
          <button type="button" onClick={() => setShown('')}>
            Hide
          </button>
        </>
      ) : (
        <>
          <p className="soft">Each time you reveal them is recorded.</p>
          <button type="button" onClick={() => void reveal()}>
            Reveal
          </button>
        </>
      )}
      {fault ? <p role="alert">{fault}</p> : null}
    </section>
  )
}
