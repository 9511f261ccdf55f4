/** What is thrown where the database cannot be reached, or a connection to it broke. */
import { codeOf } from '../transactions.ts'

/** SQLSTATE classes and system errors that mean that the database is away or busy, not that we are wrong. */
const AWAY = /^(?:08|25P03|53|57P|57014|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/

/** What pg says without a code. */
const LOST =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|connection error and is not queryable/

/** Whether the database is away or busy. What it was asked for last may be done or not. */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error) ?? '') || (error instanceof Error && LOST.test(error.message))
