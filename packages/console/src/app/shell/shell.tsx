/** The frame around every page: areas on the side; search, kill switch, time zone, theme and account on top. */
import { ActionIcon } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useServices } from '../../api/api.tsx'
import { useProfile } from '../../api/queries/account-queries.ts'
import { FormDialogsProvider } from '../../design/dialog/form-dialogs.tsx'
import { Icon } from '../../design/icon.tsx'
import { ChangeTrayButton } from './change-tray-button.tsx'
import { KillSwitch, StoppedBanner } from './kill-switch.tsx'
import { LostSecretsBanner } from './lost-secrets.tsx'
import { AccountMenu, ThemeMenu } from './menus/account-menus.tsx'
import { TimeZoneMenu } from './menus/time-zone-menu.tsx'
import { AREAS } from './navigation.ts'
import { CommandPalette } from './palette/command-palette.tsx'
import { AwayBanner, ReachPill } from './reach-state.tsx'
import classes from './shell.module.css'
import { texts } from './texts.ts'
import { useAreaChords } from './use-area-chords.ts'

export function Shell() {
  const { reach } = useServices()
  const [menuOpen, setMenuOpen] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  useHotkeys([
    ['mod+K', () => setPaletteOpen(true)],
    ['/', () => focusSearch(() => setPaletteOpen(true))],
  ])
  useAreaChords()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever the page changes
  useEffect(() => {
    setMenuOpen(false)
    // A page that asks of the traffic finds out by itself.
    reach.forget('traffic')
  }, [path])
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        {texts.skipToContent}
      </a>
      <header className={classes.head}>
        <Link to="/" className={classes.brand}>
          <img src="/console/icon.svg" alt="" width={20} height={20} />
          Sallyport
        </Link>
        <div className={classes.top}>
          <ActionIcon
            className={classes.burger ?? ''}
            aria-label={texts.menu}
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(!menuOpen)}
          >
            <Icon name="menu" />
          </ActionIcon>
          <button type="button" className={classes.search} onClick={() => setPaletteOpen(true)}>
            <Icon name="search" size={14} />
            <span>{texts.searchOrRunACommand}</span>
            <kbd>/</kbd>
          </button>
          <div className={classes.spring} />
          <ReachPill />
          <KillSwitch />
          <ChangeTrayButton />
          <TimeZoneMenu />
          <ThemeMenu />
          <AccountMenu />
        </div>
      </header>
      <SideBar open={menuOpen} />
      <button
        type="button"
        className={classes.veil}
        data-open={menuOpen}
        aria-label={texts.closeMenu}
        onClick={() => setMenuOpen(false)}
      />
      <main id="main" className={classes.main} tabIndex={-1}>
        <AwayBanner />
        <StoppedBanner />
        <LostSecretsBanner />
        <FormDialogsProvider>
          <Outlet />
        </FormDialogsProvider>
      </main>
      <CommandPalette opened={paletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  )
}

function SideBar({ open }: { readonly open: boolean }) {
  const { data: profile } = useProfile()
  return (
    <nav className={classes.side} data-open={open} aria-label={texts.areas}>
      {AREAS.map((area) => (
        <Link
          key={area.to}
          to={area.to}
          className={classes.link}
          activeOptions={{ exact: area.to === '/', includeSearch: false }}
          title={`${area.label} (${area.keys})`}
        >
          <Icon name={area.icon} />
          {area.label}
        </Link>
      ))}
      <div className={classes.foot}>Sallyport {profile?.version}</div>
    </nav>
  )
}

/** `/` goes to the page's own search field where it has one, else to the palette. */
function focusSearch(openPalette: () => void): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]')
  if (field) field.focus()
  else openPalette()
}
