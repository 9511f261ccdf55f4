import { NativeSelect } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { usePolicies, useSiteCreation } from '../../api/queries/site-queries.ts'
import { Choice, TextField } from '../../design/form/fields.tsx'
import { Form, FormEnd } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { texts } from './texts.ts'

/** As the site's own page has them. */
const WHO_MAY_ENTER = [
  { value: 'list', label: texts.onlyResearchersOnItsList },
  { value: 'all', label: texts.allActiveResearchers },
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
    <Panel title={texts.theSite}>
      <Form onSubmit={submit}>
        <TextField
          label={texts.origin}
          description={texts.originHint}
          placeholder="shop.example.com"
          required
          data-autofocus
          value={originName}
          onText={setOriginName}
        />
        <TextField
          label={texts.gatedName}
          description={texts.gatedNameHint(config.gateDomain)}
          value={gatedName}
          onText={setGatedName}
        />
        <NativeSelect
          label={texts.rateLimit}
          value={rateLimit}
          onChange={(event) => setRateLimit(event.currentTarget.value)}
          data={[
            { value: '', label: texts.noLimit },
            ...(policies.data?.items ?? []).map((policy) => policy.name),
          ]}
        />
        <Choice
          label={texts.whoMayEnter}
          description={isListed ? texts.whoMayEnterHint : texts.everyActiveResearcherIncluding}
          value={access}
          onChange={setAccess}
          choices={WHO_MAY_ENTER}
        />
        <FormEnd action={texts.addTheSite} isPending={create.isPending} error={create.error}>
          <span className="soft">{texts.itOpensAtOnce(isListed)}</span>
        </FormEnd>
      </Form>
    </Panel>
  )
}
