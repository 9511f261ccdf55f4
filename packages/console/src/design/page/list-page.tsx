/** The page of a list: its search and what adds to it stand beside its title. */
import type { ReactNode } from 'react'
import { SearchField } from '../form/fields.tsx'
import { Page } from './panel.tsx'
import { texts } from './texts.ts'

export const ListPage = (props: {
  readonly title: string
  readonly lead?: string
  readonly search: string
  readonly onSearch: (text: string) => void
  /** What adds to the list; null for who may not. */
  readonly add: ReactNode
  readonly children: ReactNode
}) => (
  <Page
    title={props.title}
    lead={props.lead}
    actions={
      <>
        <SearchField
          aria-label={texts.search(props.title.toLowerCase())}
          value={props.search}
          onText={props.onSearch}
        />
        {props.add}
      </>
    }
  >
    {props.children}
  </Page>
)
