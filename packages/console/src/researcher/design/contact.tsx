import type { GateMe } from '@sallyport/contract'

/** Whom the organization says to ask, as a link; nothing where it names nobody. */
export function Contact({ me: { contact = '' } }: { readonly me: GateMe }) {
  if (contact === '') return null
  const isPage = contact.startsWith('https://')
  return (
    <>
      Questions:{' '}
      <a
        href={isPage ? contact : `mailto:${contact.split('@').map(encodeURIComponent).join('@')}`}
        rel="noreferrer"
      >
        {contact}
      </a>
    </>
  )
}
