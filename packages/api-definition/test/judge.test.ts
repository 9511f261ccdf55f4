import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionOf, judged } from './support.ts'

const PETS = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example/api/v1' }],
  paths: {
    '/pets': {
      get: {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string', maxLength: 8 } } },
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', properties: { age: { type: 'integer' } }, additionalProperties: false },
          },
          { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
          { name: 'flavour', in: 'cookie', schema: { type: 'string', enum: ['plain', 'rich'] } },
        ],
        responses: {},
      },
      post: {
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Pet' } },
            'application/x-www-form-urlencoded': { schema: { $ref: '#/components/schemas/Pet' } },
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['photo'],
                properties: { photo: {} },
                additionalProperties: false,
              },
            },
            'application/xml': {},
          },
        },
        responses: {},
      },
    },
    '/pets/mine': { get: { responses: {} } },
    '/pets/{petId}': {
      parameters: [
        { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      ],
      get: { responses: {} },
      delete: { responses: {} },
    },
    '/files/{name}.{type}': {
      get: {
        parameters: [
          { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'type', in: 'path', required: true, schema: { type: 'string', enum: ['json', 'csv'] } },
        ],
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['name', 'id'],
        properties: {
          id: { type: 'integer', readOnly: true },
          name: { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
          age: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
  },
}
const definition = definitionOf(PETS)
const TRACE = ['X-Trace', '0f8fad5b-d9cb-469f-a165-70867728950e']

test('a path that is listed passes, and one that is not is named', () => {
  assert.deepEqual(judged(definition, 'GET', '/api/v1/pets/12'), [])
  assert.deepEqual(judged(definition, 'GET', '/api/v1/pets/mine'), [])
  assert.deepEqual(judged(definition, 'HEAD', '/api/v1/pets/mine/'), [])
  assert.deepEqual(judged(definition, 'OPTIONS', '/api/v1/pets/mine'), [])
  assert.deepEqual(judged(definition, 'GET', '/api/v1/files/a.b.csv'), ['parameter_type path type'])
  assert.deepEqual(judged(definition, 'GET', '/api/v1/files/report.csv'), [])
  assert.deepEqual(judged(definition, 'GET', '/pets/12'), ['unlisted_operation path '])
  assert.deepEqual(judged(definition, 'GET', '/api/v1/pets/'), ['parameter_missing header x-trace'])
  assert.deepEqual(judged(definition, 'PUT', '/api/v1/pets/12'), ['unlisted_operation method '])
  assert.deepEqual(judged(definition, 'DELETE', '/api/v1/pets/mine'), ['parameter_type path petId'])
})

test('a parameter is judged by its type, in each place', () => {
  const of = (query: string, headers = TRACE) =>
    judged(definition, 'GET', `/api/v1/pets${query}`, { headers })
  assert.deepEqual(of('?limit=10&tag=a&tag=b&filter[age]=3'), [])
  assert.deepEqual(of("?limit=1'"), ['parameter_type query limit'])
  assert.deepEqual(of('?limit=101'), ['parameter_type query limit'])
  assert.deepEqual(of('?limit='), ['parameter_type query limit'])
  assert.deepEqual(of('?limit=1&limit=2'), ['parameter_type query limit'])
  assert.deepEqual(of("?LIMIT=1'"), ['parameter_type query limit'])
  assert.deepEqual(of("?limit[]=1'"), ['parameter_type query limit'])
  assert.deepEqual(of('?lim%69t=x'), ['parameter_type query limit'])
  assert.deepEqual(of('?tag=muchtoolong'), ['parameter_type query tag'])
  assert.deepEqual(of('?filter[age]=x'), ['parameter_type query filter'])
  assert.deepEqual(of('?filter[rage]=1'), ['parameter_type query filter'])
  assert.deepEqual(of('', []), ['parameter_missing header x-trace'])
  assert.deepEqual(of('', ['x-trace', 'none']), ['parameter_type header x-trace'])
  assert.deepEqual(of('', [...TRACE, 'Cookie', 'a=1; flavour=spicy']), ['parameter_type cookie flavour'])
  assert.deepEqual(judged(definition, 'GET', '/api/v1/pets/1e400'), ['parameter_type path petId'])
  assert.deepEqual(judged(definition, 'GET', '/api/v1/pets/99999999999999999999'), [
    'parameter_type path petId',
  ])
})

test('what is not declared is a violation only where the site says so', () => {
  const of = (judgesUndeclared: boolean) =>
    judged(definition, 'GET', '/api/v1/pets?debug=1', { headers: TRACE, judgesUndeclared })
  assert.deepEqual(of(false), [])
  assert.deepEqual(of(true), ['undeclared_parameter query debug'])
})

test('a body is judged by its media type and its schema', () => {
  const of = (type: string, body: string) =>
    judged(definition, 'POST', '/api/v1/pets', { headers: ['content-type', type], body })
  const json = (body: string) => of('application/json', body)
  assert.deepEqual(json('{"name":"rex","age":3,"parent":{"name":"tom"}}'), [])
  assert.deepEqual(json('{"name":"rex","age":null}'), [])
  assert.deepEqual(json('{"name":"rex","age":0}'), ['body_schema body age'])
  assert.deepEqual(json('{"name":"rex","parent":{"name":"T"}}'), ['body_schema body parent.name'])
  assert.deepEqual(json('{"age":1}'), ['body_schema body '])
  assert.deepEqual(json('[]'), ['body_schema body '])
  assert.deepEqual(json('{"name":"rex",}'), ['body_schema body '])
  assert.deepEqual(json('{"name":"rex","name":"tom"}'), ['body_schema body '])
  assert.deepEqual(json('{"name":"a:b"}'), ['body_schema body name'])
  assert.deepEqual(of('application/json; charset=utf-16', '{"name":"rex"}'), ['body_media_type body '])
  assert.deepEqual(of('text/plain', 'x'), ['body_media_type body '])
  assert.deepEqual(of('application/xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), [])
  assert.deepEqual(of('application/x-www-form-urlencoded', 'name=rex&age=4'), [])
  assert.deepEqual(of('application/x-www-form-urlencoded', 'name=rex&age=x'), ['body_schema body age'])
  assert.deepEqual(judged(definition, 'POST', '/api/v1/pets', { body: '' }), ['parameter_missing body '])
  assert.deepEqual(judged(definition, 'DELETE', '/api/v1/pets/1', { body: 'x' }), ['body_media_type body '])
})

test('of a form in parts the names are judged', () => {
  const part = (name: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\nbytes\r\n`
  const of = (body: string) =>
    judged(definition, 'POST', '/api/v1/pets', {
      headers: ['content-type', 'multipart/form-data; boundary=x'],
      body,
    })
  assert.deepEqual(of(`${part('photo')}--x--\r\n`), [])
  assert.deepEqual(of(`${part('photo')}${part('other')}--x--\r\n`), ['body_schema body other'])
  assert.deepEqual(of(`${part('other')}--x--\r\n`), ['body_schema body photo', 'body_schema body other'])
  assert.deepEqual(of(part('photo')), ['body_schema body '])
})
