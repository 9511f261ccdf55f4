import { ActionIcon, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** A menu under a button that shows a pictogram. */
export function IconMenu(props: {
  readonly icon: IconName
  readonly label: string
  readonly title?: string
  /** Drawn beside its button, in the landmark that it belongs to; elsewhere it is drawn above all, and no table cuts it off. */
  readonly isInPlace?: boolean
  /** The items. */
  readonly children: ReactNode
}) {
  return (
    <Menu position="bottom-end" withinPortal={!props.isInPlace}>
      <Menu.Target>
        <ActionIcon aria-label={props.label} title={props.title}>
          <Icon name={props.icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{props.children}</Menu.Dropdown>
    </Menu>
  )
}
