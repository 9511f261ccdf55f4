/** The API definition of a site: the documents that were given, or one made of the recorded traffic. */
import type { Site } from '@sallyport/contract'
import { useApiQuery } from '../../../api/api-query.ts'
import { QueryState } from '../../../design/feedback/states.tsx'
import { CopyButton } from '../../../design/form/copy.tsx'
import { useNear } from '../../../design/page/near.ts'
import { Panel } from '../../../design/page/panel.tsx'
import classes from './definition.module.css'
import { DocumentsPanel } from './documents-panel.tsx'
import { ComparisonPanel } from './operations/comparison-panel.tsx'
import { OperationList } from './operations/operation-list.tsx'
import { texts } from './texts.ts'

export function DefinitionTab({ site }: { readonly site: Site }) {
  const queryKey = ['sites', site.id, 'definition']
  const [near, isNear] = useNear()
  const definition = useApiQuery(
    [...queryKey, 'document'],
    'sitesGetApiDefinition',
    { params: { id: site.id } },
    // It may be many MiB, and lies below all else.
    { enabled: isNear },
  )
  const text = definition.data ? JSON.stringify(definition.data, null, 2) : ''
  return (
    <>
      <DocumentsPanel siteId={site.id} />
      <OperationList site={site} />
      <ComparisonPanel site={site} />
      <Panel
        title={texts.openAPIDocument}
        description={texts.openAPIDocumentHint}
        flush
        actions={text ? <CopyButton value={text} /> : null}
      >
        <div ref={near}>
          <QueryState query={definition} />
        </div>
        {text ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          <pre className={classes.document} tabIndex={0}>
            {shownPart(text)}
          </pre>
        ) : null}
      </Panel>
    </>
  )
}

const SHOWN_CHARS_MAX = 200_000

/** A page of many MiB would stand still; what is copied is whole. */
const shownPart = (text: string): string =>
  text.length > SHOWN_CHARS_MAX
    ? texts.andCharactersMoreCopy(text.slice(0, SHOWN_CHARS_MAX), text.length - SHOWN_CHARS_MAX)
    : text
