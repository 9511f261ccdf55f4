import { Button } from '@mantine/core'
import type { FirewallExclusion } from '@sallyport/contract'
import { useState } from 'react'
import { EmptyState } from '../../design/feedback/states.tsx'
import type { Column } from '../../design/table/table.tsx'
import { ExclusionDialog } from './exclusion-dialog.tsx'
import { FirewallList, scopeColumn } from './firewall-list.tsx'
import { texts } from './texts.ts'

const soft = (words: string) => <span className="soft">{words}</span>
/** What an exclusion covers. */
export const exclusionColumns = <Entry extends FirewallExclusion>(): readonly Column<Entry>[] => [
  scopeColumn('rule', soft),
  scopeColumn('pathPrefix', soft),
  scopeColumn('part', soft),
  scopeColumn('parameter', soft),
]
const COLUMNS = exclusionColumns<FirewallExclusion>()

/** Exclusions of a site: what does not count as an attack. */
export function ExclusionList(props: {
  readonly siteId: string
  readonly exclusions: readonly FirewallExclusion[]
}) {
  return (
    <FirewallList
      siteId={props.siteId}
      list="exclusions"
      noun={texts.exclusion}
      title={texts.exclusions}
      description={texts.exclusionsHint}
      entries={props.exclusions}
      columns={COLUMNS}
      empty={
        <EmptyState icon="firewall" title={texts.noExclusions}>
          {texts.noExclusionsBody}
        </EmptyState>
      }
      addition={<AddExclusion siteId={props.siteId} />}
    />
  )
}

function AddExclusion({ siteId }: { readonly siteId: string }) {
  const [adding, setAdding] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setAdding(true)}>
        {texts.addAnExclusion}
      </Button>
      <ExclusionDialog opened={adding} siteId={siteId} onClose={() => setAdding(false)} />
    </>
  )
}
