/** The OpenAPI document at `/swagger/v2/swagger.json`, and a reference page at `/swagger/` that needs no other host. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { createOpenApi } from './openapi.ts'

const OPENAPI_PATH = '/swagger/v2/swagger.json'

type StaticDocument = NonNullable<StaticDocumentSpec['document']>

export async function addReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  let document: Record<string, unknown> | undefined
  // When it is first asked for: a start has no tenth of a second for it.
  const make = () => {
    document ??= createOpenApi(publicUrl)
    return document
  }
  let json: string | undefined
  app.route({
    method: ['GET', 'HEAD'],
    url: OPENAPI_PATH,
    handler: (_request, reply) => {
      json ??= JSON.stringify(make())
      return reply.type('application/json; charset=utf-8').send(json)
    },
  })
  // The plugin's types know OpenAPI 3.0; it hands the document on as it is.
  await app.register(swagger, { mode: 'static', specification: { document: {} as StaticDocument } })
  await app.register(swaggerUi, {
    routePrefix: '/swagger',
    staticCSP: true,
    uiConfig: { docExpansion: 'none', filter: true, validatorUrl: null },
    theme: { title: 'Sallyport admin API' },
    transformSpecification: make,
    transformSpecificationClone: false,
  })
}
