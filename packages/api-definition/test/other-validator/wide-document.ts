/** A document with one of everything that both validators judge by. */
import type { Json } from './sample.ts'

const query = (name: string, schema: Json, more: Json = {}): Json => ({ name, in: 'query', schema, ...more })
const path = (name: string, schema: Json): Json => ({ name, in: 'path', required: true, schema })
const json = (schema: Json, required = true): Json => ({
  required,
  content: { 'application/json': { schema } },
})
const form = (schema: Json, required = true): Json => ({
  required,
  content: { 'application/x-www-form-urlencoded': { schema } },
})
const responses = { 200: { description: 'Done' } }

export const WIDE_DOCUMENT: Json = {
  openapi: '3.1.0',
  info: { title: 'Wide', version: '1' },
  servers: [{ url: 'https://wide.example/' }],
  paths: {
    '/numbers': {
      get: {
        parameters: [
          query('integer', { type: 'integer', minimum: -5, maximum: 500 }),
          query('small', { type: 'integer', format: 'int32' }),
          query('number', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 10 }),
          query('step', { type: 'integer', multipleOf: 5 }),
          query('flag', { type: 'boolean' }, { required: true }),
          query('list', {
            type: 'array',
            items: { type: 'integer' },
            minItems: 1,
            maxItems: 3,
            uniqueItems: true,
          }),
          query('commas', { type: 'array', items: { type: 'string', maxLength: 8 } }, { explode: false }),
        ],
        responses,
      },
    },
    '/texts/{id}/{day}': {
      get: {
        parameters: [
          path('id', { type: 'string', format: 'uuid' }),
          path('day', { type: 'string', format: 'date' }),
          query('since', { type: 'string', format: 'date-time' }),
          query('sort', { type: 'string', enum: ['up', 'down'] }),
          query('name', { type: 'string', minLength: 2, maxLength: 10, pattern: '^[a-z]+$' }),
          { name: 'X-Page', in: 'header', required: true, schema: { type: 'integer', minimum: 1 } },
        ],
        responses,
      },
    },
    '/orders': {
      post: { requestBody: json({ $ref: '#/components/schemas/Order' }), responses },
      put: { requestBody: json({ $ref: '#/components/schemas/Shape' }, false), responses },
    },
    '/forms': {
      post: {
        requestBody: form({
          type: 'object',
          required: ['name', 'count'],
          additionalProperties: false,
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 10 },
            count: { type: 'integer', minimum: 0, maximum: 500 },
            price: { type: 'number', exclusiveMinimum: 0 },
            flag: { type: 'boolean' },
            day: { type: 'string', format: 'date' },
            sort: { type: 'string', enum: ['up', 'down'] },
            numbers: {
              type: 'array',
              items: { type: 'integer' },
              minItems: 1,
              maxItems: 3,
              uniqueItems: true,
            },
          },
        }),
        responses,
      },
      put: {
        requestBody: form(
          {
            type: 'object',
            minProperties: 1,
            maxProperties: 4,
            properties: {
              id: { type: 'string', format: 'uuid' },
              code: { type: 'string', pattern: '^[a-z]+$' },
              step: { type: 'integer', multipleOf: 5 },
              names: { type: 'array', items: { type: 'string', maxLength: 8 } },
            },
          },
          false,
        ),
        responses,
      },
    },
    '/orders/{number}': {
      parameters: [path('number', { type: 'integer', format: 'int64' })],
      patch: {
        requestBody: json({
          allOf: [
            { $ref: '#/components/schemas/Named' },
            { type: 'object', properties: { count: { type: 'integer' } } },
          ],
          minProperties: 1,
        }),
        responses,
      },
      delete: { responses },
    },
  },
  components: {
    schemas: {
      Named: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 1, maxLength: 20 } },
      },
      Order: {
        type: 'object',
        required: ['id', 'items'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', format: 'uuid' },
          at: { type: ['string', 'null'], format: 'date-time' },
          price: { type: 'number', multipleOf: 0.5, minimum: 0 },
          items: {
            type: 'array',
            minItems: 1,
            maxItems: 4,
            uniqueItems: true,
            items: { $ref: '#/components/schemas/Named' },
          },
          tags: {
            type: 'object',
            additionalProperties: { type: 'string' },
            maxProperties: 3,
            propertyNames: { maxLength: 5 },
          },
          kind: { const: 'order' },
          state: { enum: ['new', 'paid', 3, null] },
        },
      },
      Shape: {
        oneOf: [
          {
            type: 'object',
            required: ['radius'],
            properties: { radius: { type: 'number', exclusiveMinimum: 0 } },
            additionalProperties: false,
          },
          {
            type: 'object',
            required: ['width', 'height'],
            properties: { width: { type: 'number' }, height: { type: 'number' } },
          },
          { type: 'array', contains: { type: 'integer' }, items: { not: { type: 'string' } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          { type: 'integer', if: { minimum: 10 }, then: { multipleOf: 2 }, else: { multipleOf: 3 } },
        ],
      },
    },
  },
}
