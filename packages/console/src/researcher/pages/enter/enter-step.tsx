import type { GateMe, GateSite } from '@sallyport/contract'
import { personName } from '../../../language/names.ts'
import type { GateRefusal } from '../../api/gate-api.ts'
import { Alone } from '../../design/alone.tsx'
import { enterUrl } from '../../parts/site/site-state.ts'
import type { SignInState } from './sign-in-state.ts'
import { texts } from './texts.ts'

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
      return <p role="status">{texts.loading}</p>
    case 'no-site':
      return (
        <Alone framed title={texts.thisLeadsTo}>
          <p role="alert">{texts.theLinkDoes(me.organization)}</p>
        </Alone>
      )
    case 'refused':
      return (
        <Alone framed title={texts.theGateDid}>
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
    <Alone framed title={texts.thisSignIn}>
      <p role="alert">{texts.somebodyElseMayHave(site.gatedName)}</p>
      <a href={enterUrl(site, to)}>{texts.enterGatedName(site.gatedName)}</a>
    </Alone>
  )
}

function Unanswered({ site }: { readonly site: GateSite }) {
  return (
    <Alone framed title={texts.doesNotAnswerTheGate(site.gatedName)}>
      <p role="alert">{texts.soItIs(site.gatedName)}</p>
      <TryAgain />
    </Alone>
  )
}

interface QuestionProps extends Omit<EnterStepProps, 'to'> {
  readonly site: GateSite
}

function AskUnseen({ site, me, onReplace }: QuestionProps) {
  return (
    <Alone framed title={texts.enterAs(site.gatedName, personName(me.researcher))}>
      <p>{texts.yourBrowserDoes(site.gatedName)}</p>
      <Choice yes={texts.enter} onYes={onReplace} />
    </Alone>
  )
}

function AskOtherSession({ site, me, onReplace }: QuestionProps) {
  return (
    <Alone framed title={texts.enterAs(site.gatedName, personName(me.researcher))}>
      <p role="alert">{texts.anotherResearcherIsSigned(site.gatedName)}</p>
      <Choice yes={texts.replaceThatSession} onYes={onReplace} />
    </Alone>
  )
}

function TryAgain() {
  return (
    <button type="button" onClick={() => location.reload()}>
      {texts.tryAgain}
    </button>
  )
}

function Choice({ yes, onYes }: { readonly yes: string; readonly onYes: () => void }) {
  return (
    <div className="row">
      <button type="button" onClick={onYes}>
        {yes}
      </button>
      <a href="/">{texts.doNotEnter}</a>
    </div>
  )
}
