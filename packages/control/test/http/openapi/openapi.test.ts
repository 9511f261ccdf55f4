import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '@sallyport/contract'
import { parse } from 'yaml'
import { csvHead } from '../../../src/features/analytics/export/csv.ts'
import { startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())

const { status, headers, json: document } = await control.call('GET', '/swagger/v2/swagger.json')

test('the document is OpenAPI 3.1, version v2, with the declared security scheme', () => {
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.version, 'v2')
  assert.deepEqual(document.components.securitySchemes.bearer, {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT or API key',
  })
  assert.deepEqual(document.security, [{ bearer: [] }])
})

test('the reference page shows the same document', async () => {
  assert.deepEqual((await control.call('GET', '/swagger/json')).json, document)
  assert.deepEqual(parse((await control.call('GET', '/swagger/yaml')).text), document)
})

test('every operation is there once, marked where it is an extension, with an example of its answer', () => {
  const described = Object.values(document.paths).flatMap((item) => Object.values(item as object))
  assert.equal(described.length, OPERATIONS.length)
  for (const { id, method, path, extension, status: success, format } of OPERATIONS) {
    const operation = document.paths[path][method.toLowerCase()]
    assert.equal(operation.operationId, id)
    assert.equal(operation['x-sallyport-extension'] === true, extension, id)
    const content = operation.responses[success].content
    if (success === 204) assert.equal(content, undefined, id)
    else if (format !== 'stream')
      assert.deepEqual(Object.keys(content).toSorted(), ['application/json', 'text/json', 'text/plain'], id)
    else assert.ok(Object.keys(content).length > 0, id)
    for (const media of Object.values(content ?? {}) as { example?: unknown }[])
      assert.notEqual(media.example, undefined, `${id} shows an answer`)
    for (const media of Object.values(operation.requestBody?.content ?? {}) as { example?: unknown }[])
      assert.notEqual(media.example, undefined, `${id} shows a body`)
    for (const parameter of operation.parameters as { in: string; name: string; example?: string }[])
      if (parameter.in === 'path')
        assert.match(parameter.example ?? '', /^[0-9a-f-]{36}$/, `${id} ${parameter.name}`)
    for (const error of ['400', '401', '403']) assert.ok(operation.responses[error], `${id} ${error}`)
  }
})

test('the example of an export has the columns that an export has', () => {
  const { content } = document.paths['/api/Analytics/export'].get.responses[200]
  assert.equal(content['text/csv'].example, csvHead())
})

test('every reference leads somewhere', () => {
  const text = JSON.stringify(document)
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map((match) => match[0]),
  )
  assert.ok(references.size > 20)
  for (const reference of references) {
    const [, kind = '', name = ''] = /components\/(\w+)\/(\w+)/.exec(reference) ?? []
    assert.ok(document.components[kind][name], reference)
  }
  assert.doesNotMatch(text, /\$defs/)
})

test('the reference page and all that it loads come from here', async () => {
  const page = await control.call('GET', '/swagger/')
  assert.equal(page.status, 200)
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  assert.ok(sources.length >= 4)
  for (const source of sources) {
    assert.doesNotMatch(source, /^(?:https?:)?\/\//)
    const { status: found } = await control.call('GET', new URL(source, `${control.url}/swagger/`).pathname)
    assert.equal(found, 200, source)
  }
})
