/** Settings of a site that the API replaces as a whole, changed here one by one: each change is saved at once. */
import type { ForwardingSettings, RecordSettings } from '@sallyport/contract'
import { useQuery } from '@tanstack/react-query'
import { type Api, type CallOptions, useServices } from '../api.tsx'
import { useApiChange } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'

/** One kind of settings: the name under which they are remembered, and the calls that read and replace them. */
export interface SettingsKind<Settings> {
  readonly name: string
  readonly read: (
    api: Api,
    id: string,
    options: CallOptions,
  ) => Promise<{ readonly body: Settings; readonly etag: string | null }>
  readonly replace: (api: Api, id: string, body: Settings, options: CallOptions) => Promise<Settings>
}

export const RECORD_SETTINGS: SettingsKind<RecordSettings> = {
  name: 'record',
  read: (api, id, options) => api.callVersioned('sitesGetRecordSettings', { params: { id } }, options),
  replace: (api, id, body, options) => api.call('sitesSetRecordSettings', { params: { id }, body }, options),
}

export const FORWARDING_SETTINGS: SettingsKind<ForwardingSettings> = {
  name: 'forwarding',
  read: (api, id, options) => api.callVersioned('sitesGetForwarding', { params: { id } }, options),
  replace: (api, id, body, options) => api.call('sitesSetForwarding', { params: { id }, body }, options),
}

/** Computes the new settings from the present ones, which somebody else may have changed since they were shown. */
export type Change<Settings> = (now: Settings) => Settings

export function useSiteSettings<Settings>(siteId: string, { name, read }: SettingsKind<Settings>) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['sites', siteId, name],
    queryFn: async ({ signal }) => (await read(api, siteId, { signal })).body,
  })
}

/** Saves a change of the settings as they are now; answers what they were, for an undo. */
export const useSiteSettingsChange = <Settings>(siteId: string, kind: SettingsKind<Settings>) =>
  useApiChange(
    (api, change: Change<Settings>) =>
      readModifyWrite(
        () => kind.read(api, siteId, {}),
        async (before, options) => ({
          before,
          after: await kind.replace(api, siteId, change(before), options),
        }),
      ),
    (queryClient, { after }) => queryClient.setQueryData(['sites', siteId, kind.name], after),
  )
