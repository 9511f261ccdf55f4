/** Exports the requests that pass the filters, and shows the progress. */
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { apiFilters } from '../../../api/traffic/request-filters.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { bytesWords } from '../../../design/number.ts'
import { ExportChoice } from '../../../parts/traffic/export/export-choice.tsx'
import { saveStream } from '../../../parts/traffic/export/save-stream.ts'
import { filtersOf, type TrafficSearch } from '../../../parts/traffic/search.ts'

const FORMATS = [
  { format: 'ndjson', label: 'NDJSON', note: 'one request a line' },
  { format: 'csv', label: 'CSV', note: 'safe to open in a spreadsheet' },
  { format: 'ocsf', label: 'OCSF', note: 'HTTP Activity, for a SIEM' },
] as const

export function ExportMenu({ search }: { readonly search: TrafficSearch }) {
  const { api } = useServices()
  const notices = useNotices()
  const [received, setReceived] = useState<number | null>(null)
  const stop = useRef<AbortController>(null)
  const run = async (format: (typeof FORMATS)[number]['format']) => {
    const controller = new AbortController()
    stop.current = controller
    setReceived(0)
    try {
      const query = { ...apiFilters(filtersOf(search)), format }
      const response = await api.stream('analyticsExport', { query }, { signal: controller.signal })
      const bytes = await saveStream(response, `requests.${format === 'csv' ? 'csv' : 'ndjson'}`, setReceived)
      notices.done(`Exported ${bytesWords(bytes)}.`)
    } catch (error) {
      if (!controller.signal.aborted) notices.failed(error)
    } finally {
      setReceived(null)
    }
  }
  if (received !== null)
    return (
      <Button variant="default" onClick={() => stop.current?.abort()}>
        <span role="status" className="tabular">
          {bytesWords(received)} · Cancel
        </span>
      </Button>
    )
  return <ExportChoice formats={FORMATS} onChoose={({ format }) => run(format)} />
}
