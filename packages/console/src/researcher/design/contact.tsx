import type { GateMe } from '@sallyport/contract'
import { texts } from './texts.ts'

/** Whom the organization says to ask, as a link; nothing where it names nobody. */
export function Contact({ me: { contact = '' } }: { readonly me: GateMe }) {
  if (contact === '') return null
  const isPage = contact.startsWith('https://')
  return (
    <>
      {texts.questions(
        <a
          href={isPage ? contact : `mailto:${contact.split('@').map(encodeURIComponent).join('@')}`}
          rel="noreferrer"
        >
          {contact}
        </a>,
      )}
    </>
  )
}
