import { bytesWords } from '../../../language/number.ts'

/** The words of this folder, in English. */
export const texts = {
  ndjson: 'NDJSON',
  oneRequestALine: 'one request a line',
  csv: 'CSV',
  csvNote: 'safe to open in a spreadsheet',
  ocsf: 'OCSF',
  httpActivityForASiem: 'HTTP Activity, for a SIEM',
  exported: (bytes: number) => `Exported ${bytesWords(bytes)}.`,
  cancel: (received: number) => `${bytesWords(received)} · Cancel`,
}
