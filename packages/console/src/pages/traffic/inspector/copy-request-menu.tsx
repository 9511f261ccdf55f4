import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { Icon } from '../../../design/icon.tsx'
import { asCurl, asRawHttp } from './copy-request.ts'
import { texts } from './texts.ts'

const MINUTE_MS = 60_000

/** Copies a request as a command, as it went over the wire, and as an address of the console. */
export function CopyRequestMenu({ request }: { readonly request: LoggedRequest }) {
  const { config } = useServices()
  const notices = useNotices()
  const [opened, setOpened] = useState(false)
  const copy = (text: string, done: string) => notices.whenDone(navigator.clipboard.writeText(text), done)
  const { port } = new URL(config.gatewayPublicUrl)
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="copy" size={14} />}>
          {texts.copyAs}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(asCurl(request, port ? `:${port}` : ''), texts.copiedWhatIsMasked)}>
          {texts.curlCommand}
        </Menu.Item>
        <Menu.Item onClick={() => copy(asRawHttp(request), texts.copiedTheHead)}>{texts.rawHttp}</Menu.Item>
        <Menu.Item onClick={() => copy(linkTo(request), texts.copiedTheAddress)}>{texts.link}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** An address that shows the request among those of its minute, however old it is by then. */
function linkTo({ id, time }: LoggedRequest): string {
  const at = Date.parse(time)
  const window = {
    gte: new Date(at - MINUTE_MS / 2).toISOString(),
    lte: new Date(at + MINUTE_MS / 2).toISOString(),
  }
  return `${location.origin}/console/traffic?${new URLSearchParams({ ...window, request: id })}`
}
