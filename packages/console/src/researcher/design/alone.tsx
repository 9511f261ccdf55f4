import { type ReactNode, useEffect } from 'react'

/** One panel, for questions and messages; the whole page, unless it is `framed` as those of who is signed in. */
export function Alone(props: {
  readonly title: string
  readonly framed?: boolean
  readonly children: ReactNode
}) {
  const { title, framed = false } = props
  const Place = framed ? 'div' : 'main'
  useTitle(title)
  return (
    <Place className={framed ? 'narrow' : 'page narrow'}>
      <h1>{title}</h1>
      <section className="panel">{props.children}</section>
    </Place>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Sallyport`
  }, [title])
}
