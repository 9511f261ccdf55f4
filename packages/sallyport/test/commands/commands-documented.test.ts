import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../../src/program.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/commands.md'), 'utf8')

/** Groups that do something by themselves, too. */
const ALSO_COMMANDS: readonly string[] = ['gateway']

/** Every command that does something, with its arguments, as it is typed. */
function leaves(command: Command, before: string): string[] {
  const argumentNames = command.registeredArguments.map((argument) => `<${argument.name()}>`)
  const typed = [before, command.name(), ...argumentNames].filter(Boolean).join(' ')
  const below = command.commands.flatMap((child) => leaves(child, typed))
  return below.length === 0 || ALSO_COMMANDS.includes(command.name()) ? [typed, ...below] : below
}

test('docs/commands.md has a row for every command, and for nothing else', () => {
  const rows = [...page.matchAll(/^\| +`(sallyport [^`]+)` +\|/gm)].map(([, typed]) => typed)
  assert.deepEqual(rows.toSorted(), leaves(createProgram(), '').toSorted())
})
