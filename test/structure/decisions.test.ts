import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const folder = resolve(import.meta.dirname, '../../docs/decisions')
const records = readdirSync(folder).filter((name) => name !== 'README.md')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

const STATUS = /^(accepted|accepted, superseded in part by (.+)|superseded by (.+))$/
const LINK = /^\[(\d{4})\]\((\1-[a-z0-9-]+\.md)\)$/

const titleOf = (text: string): string => /^# (.+)\n/.exec(text)?.[1] ?? ''
const statusOf = (text: string): string => /^# .+\n\nStatus: (.+)\n\n## Context\n/.exec(text)?.[1] ?? ''

test('every decision record has a title, a status, a context, a decision and consequences', () => {
  for (const name of records) {
    assert.match(name, /^\d{4}-[a-z0-9-]+\.md$/)
    const text = read(name)
    assert.ok(titleOf(text), name)
    assert.match(statusOf(text), STATUS, name)
    assert.deepEqual(text.match(/^## .+$/gm), ['## Context', '## Decision', '## Consequences'], name)
    for (const part of text.split(/^## .+$/m).slice(1)) assert.ok(part.trim().length > 20, name)
  }
})

test('no two records have one number', () => {
  const numbers = records.map((name) => name.slice(0, 4))
  assert.equal(new Set(numbers).size, numbers.length)
})

test('what supersedes a record is a later record', () => {
  for (const name of records) {
    const [, , inPart, whole] = STATUS.exec(statusOf(read(name))) ?? []
    for (const link of (inPart ?? whole)?.split(', ') ?? []) {
      const [, number = '', file = ''] = LINK.exec(link) ?? []
      assert.ok(existsSync(join(folder, file)) && number > name.slice(0, 4), `${name}: ${link}`)
    }
  }
})

test('the index names each record once, with its title and its status', () => {
  const rows = [...read('README.md').matchAll(/^\| \[(\d{4}) (.+?)\]\((.+?)\) \| (.+) \|$/gm)]
  const indexed = rows.map(([, number, title, file, status]) => ({ number, title, file, status }))
  const expected = records.map((file) => {
    const text = read(file)
    return { number: file.slice(0, 4), title: titleOf(text), file, status: statusOf(text) }
  })
  const byNumber = (one: { number?: string | undefined }, other: { number?: string | undefined }): number =>
    (one.number ?? '').localeCompare(other.number ?? '')
  assert.deepEqual(indexed.toSorted(byNumber), expected.toSorted(byNumber))
})
