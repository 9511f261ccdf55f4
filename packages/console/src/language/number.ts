/** Numbers for people: grouped, shortened where space is short, bytes in powers of 1,024. */
const grouped = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const wholeNumber = (value: number): string => grouped.format(value)
/** `999`, `1.2K`: for cells of a matrix. */
export const compactNumber = (value: number): string => compact.format(value)
/** From ten thousand on `10K`; smaller ones too where one of that size stands beside them, as on an axis up to `largest`. */
export const shortNumber = (value: number, largest = value): string =>
  largest < 10_000 ? wholeNumber(value) : compactNumber(value)

export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %'
  const share = (100 * part) / whole
  if (share > 0 && share < 0.1) return '< 0.1 %'
  // Only all is 100 %: one refusal among a thousand million is not nothing.
  if (share < 100 && share >= 99.5) return share > 99.9 ? '> 99.9 %' : `${share.toFixed(1)} %`
  return `${share >= 9.95 || share === 0 ? share.toFixed(0) : share.toFixed(1)} %`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

export function bytesWords(bytes: number): string {
  let value = bytes
  let unit = 0
  // As it is shown, rounded, it stays below 1,024 too.
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`
}
