import { type ReactNode, useEffect } from 'react'

/** A page of one panel without the frame, for questions and messages before somebody is signed in. */
export function Alone({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <main className="page narrow">
      <h1>{title}</h1>
      <section className="panel">{children}</section>
    </main>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Sallyport`
  }, [title])
}
