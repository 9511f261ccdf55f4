/** Everything that a researcher needs on one page: scope, rules, credentials, tools, budget, and their own requests. */
import type { ResearcherPageMe } from '@sallyport/contract'
import { type FormEvent, useState } from 'react'
import { Budget } from './budget.tsx'
import { Credentials } from './credentials.tsx'
import type { GateRefusal } from './gate-api.ts'
import { Requests } from './requests.tsx'
import { Scope } from './scope.tsx'
import { Tools } from './tools.tsx'
import { useGate } from './use-gate.ts'

export function ResearcherPage() {
  const [key, setKey] = useState('')
  const me = useGate('me', key)
  if (me.data) return <SignedIn me={me.data} apiKey={key} />
  if (me.refusal) return <SignIn refusal={me.refusal} wasTried={key !== ''} onKey={setKey} />
  return (
    <main className="page">
      <p role="status">Loading…</p>
    </main>
  )
}

function SignedIn({ me, apiKey }: { readonly me: ResearcherPageMe; readonly apiKey: string }) {
  return (
    <main className="page">
      <header className="head">
        <h1>{me.site.gatedName}</h1>
        <p className="soft">
          Opened to you by {me.organization}, as {me.researcher.name || me.researcher.email}
          {me.expiresAt === null ? '' : `, until ${new Date(me.expiresAt).toLocaleString()}`}.{' '}
          <a href="/">Go to the site</a>
        </p>
      </header>
      <div className="columns">
        <div className="column">
          <Scope apiKey={apiKey} />
          <Tools gatedName={me.site.gatedName} apiKey={apiKey} />
        </div>
        <div className="column">
          <Budget apiKey={apiKey} />
          <Credentials apiKey={apiKey} />
        </div>
      </div>
      <Requests apiKey={apiKey} />
    </main>
  )
}

function SignIn(props: {
  readonly refusal: GateRefusal
  readonly wasTried: boolean
  readonly onKey: (key: string) => void
}) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    props.onKey(typed.trim())
  }
  return (
    <main className="page narrow">
      <header className="head">
        <h1>This site is open to invited researchers</h1>
      </header>
      <section className="panel">
        <p role={props.wasTried ? 'alert' : undefined}>{props.refusal.message}</p>
        <p className="soft">
          Open the invitation link that you were sent: it signs this browser in. Or show your key; it stays in
          this page's memory and is forgotten when you leave.
        </p>
        <form onSubmit={submit} className="row">
          <label htmlFor="key">Key</label>
          <input
            id="key"
            type="password"
            autoComplete="off"
            placeholder="rk_live_…"
            required
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <button type="submit">Show my page</button>
        </form>
      </section>
    </main>
  )
}
