import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ATTACK_CLASS_NAMES } from '@sallyport/contract/words'
import { attackColour, attackShade } from '../../../src/parts/attack/attack-colours.ts'

test('each class that rules of ours name has a colour of its family, and every other class that of all others', () => {
  for (const name of [...ATTACK_CLASS_NAMES, 'definition'])
    assert.match(attackColour(name), /^var\(--attack-(?!other)[a-z]+\)$/, name)
  assert.equal(attackColour('php_code_injection'), attackColour('js_code_injection'))
  assert.notEqual(attackColour('sql_injection'), attackColour('xss'))
  for (const name of ['', 'somebodys_own', 'constructor', '__proto__', ');background:url(//x)'])
    assert.equal(attackColour(name), 'var(--attack-other)', name)
})

test('things of one class beside each other are shades of its colour', () => {
  const shades = [0, 1, 2, 3].map((index) => attackShade('xss', index))
  assert.equal(new Set(shades).size, 4)
  assert.equal(shades[0], attackColour('xss'))
  assert.ok(shades.slice(1).every((shade) => shade.includes(attackColour('xss'))))
  assert.equal(attackShade('xss', 4), shades[0])
})
