/** One request in full. Everything in it may be hostile: it is shown as text, and only as text. */
import { Button, Drawer } from '@mantine/core'
import { onlyValue } from '@sallyport/contract'
import { useRequest } from '../../../api/traffic/request-queries.ts'
import { QueryState } from '../../../design/feedback/states.tsx'
import type { TrafficSearch } from '../../../parts/traffic/search.ts'
import { RequestDetail } from './request-detail.tsx'

export function RequestDrawer(props: {
  readonly requestId: string
  readonly onClose: () => void
  readonly onFilter: (part: Partial<TrafficSearch>) => void
}) {
  const request = useRequest(props.requestId)
  return (
    <Drawer opened onClose={props.onClose} position="right" size="lg" title="Request">
      <QueryState query={request} />
      {request.data?.map((event) => (
        <RequestDetail key={event.kind} request={event} />
      ))}
      {request.data?.[0]?.route ? (
        <Button
          variant="default"
          onClick={() =>
            props.onFilter({
              request: undefined,
              route: [onlyValue(request.data[0]?.route ?? '')],
              site: [request.data[0]?.siteId ?? ''],
            })
          }
        >
          All requests of this route
        </Button>
      ) : null}
    </Drawer>
  )
}
