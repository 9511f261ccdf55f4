/**
 * Functions that are made from the table of fields when a process starts.
 *
 * They run for every request. A loop over the names of fields takes two to three times as long as a statement for each, and
 * statements written by hand have to be kept in step with the table. So the statements are written from the table, and
 * compiled once. Nothing that anybody sends is ever part of them.
 */

/** A function of these parameters that returns an expression, in which the constants are known by their names. */
// The text says what the function is: the type is the caller's word for it, held by tests.
export const compile = <Made extends (...given: never[]) => unknown>(
  parameters: string,
  expression: string,
  constants: Readonly<Record<string, unknown>> = {},
): Made =>
  new Function(...Object.keys(constants), `'use strict'; return (${parameters}) => ${expression}`)(
    ...Object.values(constants),
  ) as Made
