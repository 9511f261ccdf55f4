/** Chooses the time zone of all times: a few that many want, or any that a search finds. */
import { Button, Popover } from '@mantine/core'
import { useMemo, useState } from 'react'
import { SearchField } from '../../../design/form/fields.tsx'
import { Icon } from '../../../design/icon.tsx'
import { findZones } from '../../../design/time/zones.ts'
import { useTimeZone } from '../../../session/time-zone.tsx'
import { texts } from './texts.ts'
import classes from './time-zone-menu.module.css'

export function TimeZoneMenu() {
  const chosen = useTimeZone()
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={280} trapFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          className={classes.zone ?? ''}
          aria-label={texts.timeZone(chosen.zone)}
          title={texts.timesIn(chosen.zone)}
          onClick={() => setOpened(!opened)}
        >
          <Icon name="clock" />
          <span className={classes.zoneName}>{chosen.zone}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={6} aria-label={texts.showTimesIn}>
        <Zones
          chosen={chosen.zone}
          onChoose={(zone) => {
            chosen.setZone(zone)
            setOpened(false)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

function Zones(props: { readonly chosen: string; readonly onChoose: (zone: string) => void }) {
  const [search, setSearch] = useState('')
  const found = useMemo(() => findZones(search, Date.now()), [search])
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <>
      <SearchField
        aria-label={texts.searchTimeZones}
        placeholder={texts.cityRegionOrOffset}
        data-autofocus
        value={search}
        onText={setSearch}
        onKeyDown={(event) => {
          const [first] = found
          if (event.key === 'Enter' && search !== '' && first) props.onChoose(first.zone)
        }}
      />
      <ul className={classes.zones}>
        {search === '' ? (
          <li>
            <button type="button" onClick={() => props.onChoose('local')}>
              {texts.thisComputer(local)}
            </button>
          </li>
        ) : null}
        {found.map(({ zone, offset }) => (
          <li key={zone}>
            <button type="button" aria-pressed={zone === props.chosen} onClick={() => props.onChoose(zone)}>
              <span>{zone}</span>
              {zone === props.chosen ? <Icon name="check" /> : <span className="soft tabular">{offset}</span>}
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className={classes.none}>
        {found.length === 0 ? texts.noTimeZonesMatch : ''}
      </p>
    </>
  )
}
