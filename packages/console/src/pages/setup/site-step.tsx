import { NativeSelect } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePolicies, useSiteCreation } from '../../api/queries/site-queries.ts'
import { Choice, TextField } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'

/** As the site's own page has them. */
const WHO_MAY_ENTER = [
  { value: 'list', label: 'Only researchers on its list' },
  { value: 'all', label: 'All active researchers' },
] as const

/** Names the origin, says who may enter, and opens its gate. */
export function SiteStep(props: {
  /** What the form begins with. */
  readonly origin: string | undefined
  readonly onDone: (site: Site) => void
}) {
  const { config } = useServices()
  const policies = usePolicies()
  const [originName, setOriginName] = useState(props.origin ?? '')
  const [gatedName, setGatedName] = useState('')
  const [rateLimit, setRateLimit] = useState('')
  const [access, setAccess] = useState<'all' | 'list'>('list')
  const isListed = access === 'list'
  const createSite = useSiteCreation()
  const create = useMutation({
    mutationFn: () =>
      createSite({
        body: {
          originName,
          isActive: true,
          rateLimit,
          hasCustomList: isListed,
          ...(gatedName && { gatedName }),
        },
      }),
    onSuccess: props.onDone,
  })
  const submit = () => create.mutate()
  return (
    <Panel title="The site">
      <Form onSubmit={submit}>
        <TextField
          label="Origin"
          description="Where requests go: a host, host:port or URL. HTTPS unless the URL says http."
          placeholder="shop.example.com"
          required
          data-autofocus
          value={originName}
          onText={setOriginName}
        />
        <TextField
          label="Gated name"
          description={`The host that researchers use, under ${config.gateDomain}. Leave empty to derive it from the origin.`}
          value={gatedName}
          onText={setGatedName}
        />
        <NativeSelect
          label="Rate limit"
          value={rateLimit}
          onChange={(event) => setRateLimit(event.currentTarget.value)}
          data={[
            { value: '', label: 'No limit' },
            ...(policies.data?.items ?? []).map((policy) => policy.name),
          ]}
        />
        <Choice
          label="Who may enter"
          description={
            isListed
              ? 'Nobody, until you add researchers to its list.'
              : 'Every active researcher, including those invited later.'
          }
          value={access}
          onChange={setAccess}
          choices={WHO_MAY_ENTER}
        />
        <FormEnd action="Add the site" isPending={create.isPending} error={create.error}>
          <span className="soft">
            It opens at once, {isListed ? 'and admits nobody yet' : 'to every active researcher'}.
          </span>
        </FormEnd>
      </Form>
    </Panel>
  )
}
