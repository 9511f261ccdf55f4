import { INVITATION_FRAGMENT } from './invitation-fragment.ts'
import './page.css'
import { GATE_INVITATION_PATH, GATE_SIGN_IN_PATH, GATE_SITES_PATH } from '@sallyport/contract/words'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { SignedIn } from './app/signed-in.tsx'
import { EnterPage } from './pages/enter/enter-page.tsx'
import { HomePage } from './pages/home/home-page.tsx'
import { InvitationPage } from './pages/invitation/invitation-page.tsx'
import { SitePage } from './pages/site/site-page.tsx'

function pageAt({ pathname, search }: Location): ReactNode {
  if (pathname === GATE_INVITATION_PATH) return <InvitationPage fragment={INVITATION_FRAGMENT} />
  if (pathname === GATE_SIGN_IN_PATH)
    return <SignedIn purpose="To enter the site">{(me) => <EnterPage me={me} query={search} />}</SignedIn>
  if (pathname.startsWith(GATE_SITES_PATH))
    return (
      <SignedIn>
        {(me) => (
          <SitePage me={me} siteId={pathname.slice(GATE_SITES_PATH.length)} fragment={INVITATION_FRAGMENT} />
        )}
      </SignedIn>
    )
  return <SignedIn>{(me) => <HomePage me={me} />}</SignedIn>
}

const element = document.getElementById('root')
if (!element) throw new Error('the page has no root element')
createRoot(element).render(pageAt(location))
