import { TAKEN_FRAGMENT } from './taken-fragment.ts'
import './page.css'
import type { GATE_INVITATION_PATH, GATE_SIGN_IN_PATH, GATE_SITES_PATH } from '@sallyport/contract'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { SignedIn } from './app/signed-in.tsx'
import { EnterPage } from './pages/enter/enter-page.tsx'
import { HomePage } from './pages/home/home-page.tsx'
import { InvitationPage } from './pages/invitation/invitation-page.tsx'
import { SitePage } from './pages/site/site-page.tsx'

/** Written out, because importing the contract's values would bundle its schemas. */
const SIGN_IN: typeof GATE_SIGN_IN_PATH = '/sign-in'
const INVITATION: typeof GATE_INVITATION_PATH = '/invitation'
const SITES: typeof GATE_SITES_PATH = '/sites/'

function pageAt({ pathname, search }: Location): ReactNode {
  if (pathname === INVITATION) return <InvitationPage fragment={TAKEN_FRAGMENT} />
  if (pathname === SIGN_IN)
    return <SignedIn purpose="To enter the site">{(me) => <EnterPage me={me} query={search} />}</SignedIn>
  if (pathname.startsWith(SITES))
    return <SignedIn>{(me) => <SitePage me={me} siteId={pathname.slice(SITES.length)} />}</SignedIn>
  return <SignedIn>{(me) => <HomePage me={me} />}</SignedIn>
}

const element = document.getElementById('root')
if (!element) throw new Error('the page has no root element')
createRoot(element).render(pageAt(location))
