/** Rows of a backup that a restore must find again: what is past its retention by then, the store deletes while it is put in. */
import { DAYS_KEPT } from './traffic-pieces-store.ts'

const DAY_SECONDS = 86_400

/** How many rows of a piece of the traffic are kept until after `keptUntil`, seconds since the epoch. */
export function countKeptRows(
  table: string,
  columns: readonly string[],
  data: Buffer,
  keptUntil: number,
): number {
  const kept = DAYS_KEPT[table]
  const lines = data.toString('utf8').trimEnd().split('\n')
  if (kept === undefined) return lines.length
  const [time, days] = [columns.indexOf('time'), columns.indexOf('retention_days')]
  return lines.filter((line) => {
    const cells: unknown[] = JSON.parse(line)
    const daysKept = typeof kept === 'number' ? kept : Number(cells[days])
    return secondsOf(String(cells[time])) + daysKept * DAY_SECONDS > keptUntil
  }).length
}

/** Of a time as the store writes it, in UTC and without a zone. */
const secondsOf = (time: string): number => Math.floor(Date.parse(`${time.replace(' ', 'T')}Z`) / 1000)
