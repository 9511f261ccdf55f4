/** Exports the requests that pass the filters, and shows the progress. */
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { apiFilters } from '../../../api/traffic/request-filters.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { ExportChoice } from '../../../parts/traffic/export/export-choice.tsx'
import { saveStream } from '../../../parts/traffic/export/save-stream.ts'
import { filtersOf, type TrafficSearch } from '../../../parts/traffic/search.ts'
import { texts } from './texts.ts'

const FORMATS = [
  { format: 'ndjson', label: texts.ndjson, note: texts.oneRequestALine },
  { format: 'csv', label: texts.csv, note: texts.csvNote },
  { format: 'ocsf', label: texts.ocsf, note: texts.httpActivityForASiem },
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
      notices.done(texts.exported(bytes))
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
          {texts.cancel(received)}
        </span>
      </Button>
    )
  return <ExportChoice formats={FORMATS} onChoose={({ format }) => run(format)} />
}
