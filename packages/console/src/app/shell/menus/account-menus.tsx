import { Menu, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useServices } from '../../../api/api.tsx'
import { useProfile } from '../../../api/queries/account-queries.ts'
import { useDensity } from '../../../design/density.ts'
import { Icon } from '../../../design/icon.tsx'
import { IconMenu } from '../../../design/icon-menu.tsx'
import { texts } from './texts.ts'

const THEMES = [
  { value: 'light', label: texts.light, icon: 'sun' },
  { value: 'dark', label: texts.dark, icon: 'moon' },
  { value: 'auto', label: texts.system, icon: 'auto' },
] as const

const DENSITIES = [
  { label: texts.comfortable, isCompact: false },
  { label: texts.compact, isCompact: true },
] as const

export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { isCompact, setCompact } = useDensity()
  const current = THEMES.find((one) => one.value === colorScheme) ?? THEMES[2]
  return (
    <IconMenu icon={current.icon} label={texts.theme(current.label)} isInPlace>
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
      <Menu.Label>{texts.density}</Menu.Label>
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
    <IconMenu icon="account" label={texts.account} isInPlace>
      <Menu.Label>{profile.data?.email ?? texts.signedIn}</Menu.Label>
      <Menu.Item onClick={() => void navigate({ to: '/organization' })}>{texts.organization}</Menu.Item>
      <Menu.Item onClick={() => void session.signOut()}>{texts.signOut}</Menu.Item>
    </IconMenu>
  )
}
