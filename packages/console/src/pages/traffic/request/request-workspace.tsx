/** The values to filter by, the table, and one request of it in full: side by side where there is room, else one below another. */
import { type ReactNode, useCallback } from 'react'
import { usePageKeys } from '../../../design/keys.ts'
import type { SearchProps } from '../../../parts/traffic/search.ts'
import { ColumnMenu } from '../columns/column-menu.tsx'
import { useRequestColumns } from '../columns/use-request-columns.ts'
import { withValue } from '../filters.ts'
import { INSPECTOR_ID, Inspector } from '../inspector/inspector.tsx'
import classes from '../traffic.module.css'
import type { OnValue } from './request-row.tsx'
import { RequestTable, type RequestTableProps } from './request-table.tsx'

export function RequestWorkspace(
  props: Omit<RequestTableProps, 'opened' | 'onOpen' | 'columns' | 'onValue'> &
    SearchProps & { readonly facets?: ReactNode },
) {
  const { facets, search, onChange, head, ...table } = props
  const { requests } = table
  const opened = search.request
  const columns = useRequestColumns()
  const at = requests.findIndex(({ id }) => id === opened)
  const open = useCallback(
    (request: string) => {
      // Opened once more, it gets the focus: that is the way to it for who moves by the keyboard.
      if (request === opened) document.getElementById(INSPECTOR_ID)?.focus()
      else onChange({ request })
    },
    [onChange, opened],
  )
  const onValue: OnValue = useCallback(
    (field, value, excludes) => onChange((now) => withValue(now, field, value, excludes)),
    [onChange],
  )
  const step = (by: 1 | -1) => {
    // Both events of a WebSocket are the same request.
    let next = at + by
    while (requests[next] && requests[next]?.id === opened) next += by
    const request = requests[at < 0 ? 0 : next]
    if (request) open(request.id)
  }
  usePageKeys({ j: () => step(1), k: () => step(-1) })
  return (
    <div className={classes.split} data-inspects={opened !== undefined}>
      {facets}
      <RequestTable
        {...table}
        head={
          <div className={classes.tableHead}>
            {head}
            <ColumnMenu columns={columns} />
          </div>
        }
        columns={columns}
        opened={opened}
        onOpen={open}
        onValue={onValue}
      />
      {opened ? (
        <Inspector
          requestId={opened}
          position={at + 1}
          count={requests.length}
          onStep={step}
          onChange={onChange}
        />
      ) : null}
    </div>
  )
}
