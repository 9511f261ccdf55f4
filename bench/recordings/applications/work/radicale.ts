/** Radicale: calendars and address books (CalDAV, CardDAV) that a client of npm works with. */
import { freePorts } from '../../../../test/support/loopback.ts'
import { directUrl, runClient } from '../../clients.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

/** The server, recorded with a client. */
export const radicale: RecordedApplication = {
  name: 'radicale',
  what: 'calendars and address books',
  debian: ['radicale'],
  npm: { tsdav: '2.3.4' },
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author, folder } = session
  const [port = 0] = await freePorts(1)
  const options = [
    '--auth-type=none',
    `--storage-filesystem-folder=${folder}/collections`,
    '--rights-type=authenticated',
  ]
  await session.start('radicale', [`--hosts=127.0.0.1:${port}`, ...options, '--config='], {
    cwd: folder,
    port,
  })
  session.route('calendar', { port })
  await session.repeat(async () => {
    const person = author.slug()
    await runClient(session, 'tsdav', SCRIPT, {
      serverUrl: directUrl(session, 'calendar'),
      person,
      calendar: author.title(),
      events: Array.from({ length: 10 }, () => [`${author.uuid()}.ics`, event(session)]),
      cards: Array.from({ length: 6 }, () => [`${author.uuid()}.vcf`, card(session)]),
    })
  })
}

/** Lines of iCalendar are escaped, and folded after 75 bytes (RFC 5545, sections 3.1 and 3.3.11). */
const line = (name: string, text: string): string => {
  const whole = `${name}:${text.replaceAll('\\', '\\\\').replace(/[;,]/g, '\\$&').replaceAll('\n', '\\n')}`
  return [...whole].reduce(
    (lines, letter, index) => `${lines}${index > 0 && index % 60 === 0 ? '\r\n ' : ''}${letter}`,
    '',
  )
}

const stamp = (day: number, hour: number): string =>
  `202606${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}0000Z`

function event({ author }: RecordingSession): string {
  const day = 1 + author.integer(28)
  return [
    ...[
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Example Corp.//Calendar 4.2//EN',
      'BEGIN:VEVENT',
      `UID:${author.uuid()}`,
    ],
    ...[
      `DTSTAMP:${stamp(1, 8)}`,
      `DTSTART:${stamp(day, 9)}`,
      `DTEND:${stamp(day, 11)}`,
      'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10',
    ],
    ...[
      line('SUMMARY', author.title()),
      line('LOCATION', author.short()),
      line('DESCRIPTION', author.article(2)),
    ],
    ...[
      `ATTENDEE;CN="${author.person()}";RSVP=TRUE:mailto:${author.email()}`,
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ],
  ].join('\r\n')
}

const card = ({ author }: RecordingSession): string =>
  [
    ...[
      'BEGIN:VCARD',
      'VERSION:3.0',
      `UID:${author.uuid()}`,
      line('FN', author.person()),
      `N:${author.person()};${author.person()};;;`,
    ],
    ...[
      `EMAIL;TYPE=INTERNET:${author.email()}`,
      'TEL;TYPE=CELL:+49 30 901820',
      line('ADR;TYPE=HOME', `;;${author.short()}`),
      line('NOTE', author.paragraph()),
    ],
    ...(author.chance(0.3)
      ? [`PHOTO;ENCODING=b;TYPE=PNG:${author.file().buffer.subarray(0, 20_000).toString('base64')}`]
      : []),
    ...['END:VCARD', ''],
  ].join('\r\n')

const SCRIPT = `
const { serverUrl, person, calendar, events, cards } = input
const { DAVClient } = library
const settings = { serverUrl, credentials: { username: person, password: 'p@ss; word' }, authMethod: 'Basic' }
const own = new DAVClient({ ...settings, defaultAccountType: 'caldav' })
await own.login()
const url = serverUrl + person + '/work/'
await own.makeCalendar({ url, props: { displayname: calendar } })
for (const [filename, iCalString] of events) await own.createCalendarObject({ calendar: { url }, filename, iCalString })
await own.fetchCalendars()
const timeRange = { start: '2026-06-01T00:00:00Z', end: '2026-07-01T00:00:00Z' }
const objects = await own.fetchCalendarObjects({ calendar: { url }, timeRange })
for (const object of objects.slice(0, 4)) await own.updateCalendarObject({ calendarObject: object })
if (objects[0]) await own.deleteCalendarObject({ calendarObject: objects[0] })
const book = serverUrl + person + '/people/'
const resourcetype = { 'd:collection': {}, 'card:addressbook': {} }
await own.makeCollection?.({ url: book, props: { 'd:resourcetype': resourcetype, displayname: calendar } })
const others = new DAVClient({ ...settings, defaultAccountType: 'carddav' })
await others.login()
for (const [filename, vCardString] of cards) await others.createVCard({ addressBook: { url: book }, filename, vCardString })
await others.fetchVCards({ addressBook: { url: book } })
`
