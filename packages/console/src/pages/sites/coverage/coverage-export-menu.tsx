/** Saves the coverage of a site as a file for a spreadsheet or a pipeline. */
import { useServices } from '../../../api/api.tsx'
import { usePermission } from '../../../api/queries/account-queries.ts'
import type { CoverageScope } from '../../../api/queries/coverage-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { ExportChoice } from '../../../parts/traffic/export/export-choice.tsx'
import { saveStream } from '../../../parts/traffic/export/save-stream.ts'
import { texts } from './texts.ts'

const FORMATS = [
  { format: 'csv', label: texts.csv, note: texts.byParameterToo, extension: 'csv' },
  { format: 'sarif', label: texts.sarif, note: '2.1.0', extension: 'sarif' },
  { format: 'junit', label: texts.jUnit, note: texts.neverTriedIsSkipped, extension: 'xml' },
] as const

export function CoverageExportMenu({
  siteId,
  scope,
}: {
  readonly siteId: string
  readonly scope: CoverageScope
}) {
  const { api } = useServices()
  const may = usePermission('traffic:export')
  const notices = useNotices()
  if (!may) return null
  const save = async ({ format, extension }: (typeof FORMATS)[number]): Promise<void> => {
    try {
      const input = { params: { id: siteId }, query: { ...scope, format } }
      await saveStream(
        await api.stream('sitesExportCoverage', input),
        `coverage.${extension}`,
        () => undefined,
      )
    } catch (error) {
      notices.failed(error)
    }
  }
  return <ExportChoice formats={FORMATS} onChoose={save} />
}
