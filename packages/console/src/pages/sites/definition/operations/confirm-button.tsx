/** Takes an operation into the definition, or out of it. */
import { Button } from '@mantine/core'
import type { ApiOperation } from '@sallyport/contract'
import { useServices } from '../../../../api/api.tsx'
import { useNotifiedMutation } from '../../../../design/feedback/notices.tsx'
import { texts } from './texts.ts'

const ACTS = {
  confirm: {
    id: 'sitesConfirmOperation',
    label: texts.addToTheDefinition,
    done: texts.theOperationIsAdded,
  },
  unconfirm: {
    id: 'sitesUnconfirmOperation',
    label: texts.removeFromTheDefinition,
    done: texts.theOperationIsRemoved,
  },
} as const

export function ConfirmButton(props: {
  readonly siteId: string
  readonly operation: ApiOperation
  readonly act: keyof typeof ACTS
}) {
  const { siteId, operation } = props
  const { method, template } = operation
  const { api } = useServices()
  const { id, label, done } = ACTS[props.act]
  const act = useNotifiedMutation(
    () => api.call(id, { params: { id: siteId }, body: { method, template } }),
    { done, queryKey: ['sites', siteId, 'definition'] },
  )
  return (
    <Button
      variant="default"
      size="compact-xs"
      loading={act.isPending}
      aria-label={`${label}: ${method} ${template}`}
      onClick={() => act.mutate()}
    >
      {label}
    </Button>
  )
}
