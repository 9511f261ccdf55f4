/** What the demo's organization says of the shop's API: not all that there is, and one operation that there is not. */

const responses = { 200: { description: 'as asked' }, 404: { description: 'there is none' } }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const text = (name: string) => ({ name, in: 'query', schema: { type: 'string' } })

export const SHOP_DEFINITION = {
  openapi: '3.1.0',
  info: { title: 'The shop', version: '1' },
  paths: {
    '/products': { get: { responses } },
    '/products/{id}': { get: { parameters: [id], responses } },
    '/search': { get: { parameters: [text('q')], responses } },
    '/login': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { user: { type: 'string' }, password: { type: 'string' } },
              },
            },
          },
        },
        responses,
      },
    },
    '/api/orders/{id}': { get: { parameters: [id], responses } },
    '/files': { get: { parameters: [text('name')], responses } },
    '/reports/slow': { get: { deprecated: true, responses } },
    '/wishlist': { get: { responses } },
  },
}
