import { Menu, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useServices } from '../../api/api.tsx'
import { useProfile } from '../../api/queries/account-queries.ts'
import { Icon } from '../../design/icon.tsx'
import { IconMenu } from '../../design/icon-menu.tsx'
import { useTimeZone } from '../../session/time-zone.tsx'

const THEMES = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'auto', label: 'Like the system', icon: 'auto' },
] as const

export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const current = THEMES.find((one) => one.value === colorScheme) ?? THEMES[2]
  return (
    <IconMenu icon={current.icon} label={`Theme: ${current.label}`}>
      {THEMES.map((one) => (
        <Menu.Item
          key={one.value}
          leftSection={<Icon name={one.icon} />}
          rightSection={one.value === colorScheme ? <Icon name="check" /> : null}
          onClick={() => setColorScheme(one.value)}
        >
          {one.label}
        </Menu.Item>
      ))}
    </IconMenu>
  )
}

const ZONES = 'local UTC Europe/London Europe/Berlin America/New_York America/Los_Angeles Asia/Tokyo'.split(
  ' ',
)

export function TimeZoneMenu() {
  const chosen = useTimeZone()
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <IconMenu icon="clock" label={`Time zone: ${chosen.zone}`} title={`Times in ${chosen.zone}`}>
      <Menu.Label>Show times in</Menu.Label>
      {ZONES.map((zone) => (
        <Menu.Item
          key={zone}
          rightSection={(zone === 'local' ? local : zone) === chosen.zone ? <Icon name="check" /> : null}
          onClick={() => chosen.setZone(zone)}
        >
          {zone === 'local' ? `This computer (${local})` : zone}
        </Menu.Item>
      ))}
    </IconMenu>
  )
}

export function AccountMenu() {
  const { session } = useServices()
  const profile = useProfile()
  const navigate = useNavigate()
  return (
    <IconMenu icon="account" label="Account">
      <Menu.Label>{profile.data?.email ?? 'Signed in'}</Menu.Label>
      <Menu.Item onClick={() => void navigate({ to: '/organization' })}>Organization</Menu.Item>
      <Menu.Item onClick={() => void session.signOut()}>Sign out</Menu.Item>
    </IconMenu>
  )
}
