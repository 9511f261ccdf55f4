/** How commands answer: in words for people, or with `--json` as one JSON document for scripts. */

export interface OutputOptions {
  readonly json?: boolean
}

/** Prints an object's fields, or a list's items one a line. */
export function print(answer: object, { json }: OutputOptions): void {
  if (json) console.log(JSON.stringify(answer))
  else if (Array.isArray(answer)) printTable(answer)
  else for (const [name, value] of Object.entries(answer)) console.log(`${name}: ${show(value)}`)
}

function printTable(rows: readonly object[]): void {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => Object.values(row).map(show))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Control characters are shown as escapes: names come from people, and a terminal obeys them. */
const show = (value: unknown): string =>
  textOf(value ?? '-').replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
