/** The command palette: finds areas, sites, researchers and commands by a few letters. */

import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import { useMatchingResearchers } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import { Dialog } from '../../../design/dialog/dialog.tsx'
import { useFocusReturn } from '../../../design/dialog/use-focus-return.ts'
import { Icon, type IconName } from '../../../design/icon.tsx'
import { isolated } from '../../../design/isolated.ts'
import { AREAS } from '../navigation.ts'
import classes from './command-palette.module.css'
import { texts } from './texts.ts'

interface Command {
  readonly label: string
  readonly hint: string
  readonly icon: IconName
  readonly run: () => void
}
const SHOWN_MAX = 12

export function CommandPalette(props: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      {...props}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      size="lg"
      padding={0}
      // Open at once: a fade puts the field on the page some frames later, and what is typed meanwhile would be lost.
      transitionProps={{ duration: 0 }}
      title={texts.searchAndCommands}
      classNames={{ header: 'visually-hidden' }}
    >
      {props.opened ? <Palette onClose={props.onClose} /> : null}
    </Dialog>
  )
}

function Palette({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn()
  const listId = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  // Enter was pressed before what is searched had been loaded.
  const [awaited, setAwaited] = useState(false)
  const { commands, isLoading } = useCommands(text)
  const found = useMemo(() => matching(commands, text), [commands, text])
  const choose = (command: Command) => {
    onClose()
    command.run()
  }
  const chosen = found[active]
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when what is chosen is there or nothing is to come
  useEffect(() => {
    if (!awaited || (!chosen && isLoading)) return
    setAwaited(false)
    if (chosen) choose(chosen)
  }, [awaited, chosen, isLoading])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setActive((active + step + found.length) % Math.max(found.length, 1))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      setAwaited(true)
    }
  }
  return (
    <div>
      <input
        className={classes.input}
        // biome-ignore lint/a11y/noAutofocus: the palette is opened to type in it
        autoFocus
        role="combobox"
        aria-label={texts.searchAndCommands}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen ? `${listId}-${active}` : undefined}
        placeholder={texts.siteResearcherPageOrCommand}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
          setAwaited(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={texts.results} className={classes.list}>
        {found.map((command, index) => (
          <div
            // A researcher's label has their address, and no two sites have one name.
            key={`${command.hint} ${command.label}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={classes.option}
            onMouseMove={() => setActive(index)}
            onClick={() => choose(command)}
            onKeyDown={onKeyDown}
          >
            <Icon name={command.icon} />
            <span className="clip">{command.label}</span>
            <span className={classes.hint}>{command.hint}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? (
        <p className={classes.none}>{isLoading ? texts.searching : texts.noResults}</p>
      ) : null}
    </div>
  )
}

/** All commands, and those of the sites and researchers as far as they have been loaded. */
function useCommands(text: string): { readonly commands: readonly Command[]; readonly isLoading: boolean } {
  const navigate = useNavigate()
  const sites = useSites()
  const researchers = useMatchingResearchers(text.trim(), SHOWN_MAX)
  const commands = useMemo(() => {
    const areas = AREAS.map(({ to, label, keys, icon }) => command(label, keys, icon, () => navigate({ to })))
    const actions = [
      command(texts.addASite, texts.command, 'plus', () => navigate({ to: '/setup' })),
      command(texts.watchRequestsLive, texts.command, 'play', () =>
        navigate({ to: '/traffic', search: { live: true } }),
      ),
    ]
    const siteCommands = (sites.data ?? []).flatMap(({ id, gatedName }) => [
      command(gatedName, texts.site, 'sites', () =>
        navigate({ to: '/sites/$siteId/$tab', params: { siteId: id, tab: 'settings' } }),
      ),
      command(texts.trafficOf(gatedName), texts.traffic, 'traffic', () =>
        navigate({ to: '/traffic', search: { site: [id] } }),
      ),
    ])
    const researcherCommands = (researchers.data?.items ?? []).map(({ id, name, email }) =>
      command(name ? `${isolated(name)} (${email})` : email, texts.researcher, 'researchers', () =>
        navigate({ to: '/researchers/$researcherId', params: { researcherId: id } }),
      ),
    )
    return [...areas, ...actions, ...siteCommands, ...researcherCommands]
  }, [navigate, sites.data, researchers.data])
  return { commands, isLoading: sites.isLoading || researchers.isLoading || researchers.isPlaceholderData }
}

const command = (label: string, hint: string, icon: IconName, go: () => Promise<void>): Command => ({
  label,
  hint,
  icon,
  run: () => void go(),
})

/** Those whose label holds every word typed, in order of appearance. */
function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands
    .filter((command) => {
      const label = `${command.label} ${command.hint}`.toLowerCase()
      return words.every((word) => label.includes(word))
    })
    .slice(0, SHOWN_MAX)
}
