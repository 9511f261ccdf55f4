import { Menu, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useServices } from '../../../api/api.tsx'
import { useProfile } from '../../../api/queries/account-queries.ts'
import { useDensity } from '../../../design/density.ts'
import { Icon } from '../../../design/icon.tsx'
import { IconMenu } from '../../../design/icon-menu.tsx'

const THEMES = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'auto', label: 'System', icon: 'auto' },
] as const

const DENSITIES = [
  { label: 'Comfortable', isCompact: false },
  { label: 'Compact', isCompact: true },
] as const

export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { isCompact, setCompact } = useDensity()
  const current = THEMES.find((one) => one.value === colorScheme) ?? THEMES[2]
  return (
    <IconMenu icon={current.icon} label={`Theme: ${current.label}`} isInPlace>
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
      <Menu.Label>Density</Menu.Label>
      {DENSITIES.map((one) => (
        <Menu.Item
          key={one.label}
          rightSection={one.isCompact === isCompact ? <Icon name="check" /> : null}
          onClick={() => setCompact(one.isCompact)}
        >
          {one.label}
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
    <IconMenu icon="account" label="Account" isInPlace>
      <Menu.Label>{profile.data?.email ?? 'Signed in'}</Menu.Label>
      <Menu.Item onClick={() => void navigate({ to: '/organization' })}>Organization</Menu.Item>
      <Menu.Item onClick={() => void session.signOut()}>Sign out</Menu.Item>
    </IconMenu>
  )
}
