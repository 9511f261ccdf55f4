/**
 * How CSV is written (RFC 4180). Values that a spreadsheet would run as a formula get a leading apostrophe, and values with what some
 * spreadsheets take for a separator, too, are quoted: the rest of such a value would begin a cell of its own.
 */
export const CSV_FORMAT = {
  record_delimiter: '\r\n',
  escape_formulas: true,
  quoted_match: /[;\t]/,
} as const
