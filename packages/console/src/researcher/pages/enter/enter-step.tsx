import type { GateMe, GateSite } from '@sallyport/contract'
import type { GateRefusal } from '../../api/gate-api.ts'
import { Alone } from '../../design/alone.tsx'
import { nameOf } from '../../design/person.ts'
import { enterUrl } from '../../parts/site/site-state.ts'
import type { SignInState } from './sign-in-state.ts'

/** How far entering has come. */
export type EntryStep =
  | { readonly at: 'looking' }
  | { readonly at: 'redirecting' }
  | { readonly at: 'refused'; readonly refusal: GateRefusal }
  | SignInState

interface EnterStepProps {
  readonly me: GateMe
  /** The path of the site to return to. */
  readonly to: string
  /** Enters, also in place of another session. */
  readonly onReplace: () => void
}

/** What is shown at each step; those that pass by themselves show that they load. */
export function EnterStep({ step, me, to, onReplace }: EnterStepProps & { readonly step: EntryStep }) {
  switch (step.at) {
    case 'looking':
    case 'redirecting':
    case 'begun-here':
    case 'signed-in-there':
      return <p role="status">Loading…</p>
    case 'no-site':
      return (
        <Alone framed title="This leads to no site of yours">
          <p role="alert">
            The link does not name a site that {me.organization} has opened to you, or is not whole.
          </p>
        </Alone>
      )
    case 'refused':
      return (
        <Alone framed title="The gate did not let you in">
          <p role="alert">{step.refusal.message}</p>
          <TryAgain />
        </Alone>
      )
    case 'begun-elsewhere':
      return <BegunElsewhere site={step.site} to={to} />
    case 'unanswered':
      return <Unanswered site={step.site} />
    case 'unseen':
      return <AskUnseen site={step.site} me={me} onReplace={onReplace} />
    case 'other-session':
      return <AskOtherSession site={step.site} me={me} onReplace={onReplace} />
  }
}

function BegunElsewhere({ site, to }: { readonly site: GateSite; readonly to: string }) {
  return (
    <Alone framed title="This sign-in was not begun in this browser">
      <p role="alert">
        Somebody else may have begun it, to be let in under your name; or it took too long. Nothing was given
        away. If it was you who wanted to enter {site.gatedName}, begin again:
      </p>
      <a href={enterUrl(site, to)}>Enter {site.gatedName}</a>
    </Alone>
  )
}

function Unanswered({ site }: { readonly site: GateSite }) {
  return (
    <Alone framed title={`${site.gatedName} does not answer the gate`}>
      <p role="alert">
        So it is not known whether this sign-in was begun in this browser, and nobody was let in. If this
        stays so, remove the cookies that {site.gatedName} has left in this browser.
      </p>
      <TryAgain />
    </Alone>
  )
}

interface QuestionProps extends Omit<EnterStepProps, 'to'> {
  readonly site: GateSite
}

function AskUnseen({ site, me, onReplace }: QuestionProps) {
  return (
    <Alone framed title={`Enter ${site.gatedName} as ${nameOf(me.researcher)}?`}>
      <p>
        Your browser does not let the gate see whether it was here that this sign-in was begun. Go on only if
        you have just opened {site.gatedName} yourself: otherwise somebody else would be let in under your
        name. If somebody else is signed in there in this browser, you take their place.
      </p>
      <Choice yes="Enter" onYes={onReplace} />
    </Alone>
  )
}

function AskOtherSession({ site, me, onReplace }: QuestionProps) {
  return (
    <Alone framed title={`Enter ${site.gatedName} as ${nameOf(me.researcher)}?`}>
      <p role="alert">
        Another researcher is signed in at {site.gatedName} in this browser. Go on only if you mean to take
        their place: what this browser sends there is recorded under your name from then on.
      </p>
      <Choice yes="Replace that session" onYes={onReplace} />
    </Alone>
  )
}

function TryAgain() {
  return (
    <button type="button" onClick={() => location.reload()}>
      Try again
    </button>
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
