import { isolated } from '../../../design/isolated.ts'
import classes from '../overview.module.css'
import type { ClausePart } from './sentence.ts'

/** Words of ours among somebody's, which reorder nothing around them. `begins` where they begin a sentence. */
export function ClauseParts({
  parts,
  begins = false,
}: {
  readonly parts: readonly ClausePart[]
  readonly begins?: boolean
}) {
  return parts.map(({ kind, text }, place) => {
    const key = `${place} ${kind}`
    // Where there is no room for all of it, the pointer shows it.
    const shown = { className: classes.part, title: isolated(text) }
    if (kind === 'name')
      return (
        <bdi key={key} {...shown}>
          {isolated(text)}
        </bdi>
      )
    if (kind === 'code')
      return (
        <code key={key} dir="ltr" {...shown}>
          {isolated(text)}
        </code>
      )
    return begins && place === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text
  })
}
