/** Saves the signed evidence of one site of a project, with the items and checks of that. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useServices } from '../../api/api.tsx'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'
import { Icon } from '../../design/icon.tsx'
import { saveStream } from '../../parts/traffic/export/save-stream.ts'
import { texts } from './texts.ts'

export function EvidenceButton(props: {
  readonly projectId: string
  readonly siteId: string
  readonly scope: { readonly gte: string; readonly lte: string }
}) {
  const { api } = useServices()
  const notices = useNotices()
  const may = usePermission('traffic:export')
  const saving = useMutation({
    mutationFn: async () => {
      const query = { ...props.scope, project: props.projectId }
      const answer = await api.stream('evidenceGet', { params: { id: props.siteId }, query })
      return saveStream(answer, 'evidence.tar', () => undefined)
    },
    onSuccess: () => notices.done(texts.theEvidenceIsSaved),
    onError: (error) => notices.failed(error),
  })
  if (!may) return null
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      {texts.evidence}
    </Button>
  )
}
