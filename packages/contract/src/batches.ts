/** The part of the public face that reads batches: the schemas of their lines, without those of the API. */

export { batchHeaderSchema } from './traffic/batch-schema.ts'
export { trafficRequestSchema, trafficSenderSchema } from './traffic/event-schema.ts'
export { isValidRequest } from './traffic/valid-request.ts'
