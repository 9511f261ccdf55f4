import { Button } from '@mantine/core'
import form from '../form/form.module.css'

/** Brings the next page of a list that comes by pages; nothing once all of it is there. */
export function MoreButton(props: {
  readonly list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly label?: string
}) {
  const { list } = props
  if (!list.hasNextPage) return null
  return (
    <div className={form.more}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {props.label ?? 'Show more'}
      </Button>
    </div>
  )
}
