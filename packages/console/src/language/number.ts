/** Numbers for people: grouped, shortened where space is short, bytes in powers of 1,024. */
const grouped = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const wholeNumber = (value: number): string => grouped.format(value)
export const shortNumber = (value: number): string =>
  value < 10_000 ? grouped.format(value) : compact.format(value)

export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %'
  const share = (100 * part) / whole
  if (share > 0 && share < 0.1) return '< 0.1 %'
  return `${share >= 10 || share === 0 ? share.toFixed(0) : share.toFixed(1)} %`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytesWords(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`
}
