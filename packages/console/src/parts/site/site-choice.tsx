/** Which of several sites a panel is about; the name alone where there is one. */
import { Choice } from '../../design/form/fields.tsx'

interface NamedSite {
  readonly id: string
  readonly gatedName: string
}

export const SiteChoice = (props: {
  readonly label: string
  readonly sites: readonly NamedSite[]
  readonly site: NamedSite
  readonly onChange: (id: string) => void
}) =>
  props.sites.length > 1 ? (
    <Choice
      size="xs"
      aria-label={props.label}
      value={props.site.id}
      onChange={props.onChange}
      choices={props.sites.map(({ id, gatedName }) => ({ value: id, label: gatedName }))}
    />
  ) : (
    <bdi className="soft">{props.site.gatedName}</bdi>
  )
