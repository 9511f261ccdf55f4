/** The part of the public face that reads batches: the schemas of their lines, without those of the API. */

export { batchHeaderSchema } from './batch-schema.ts'
export { trafficRequestSchema, trafficSenderSchema } from './event-schema.ts'
export { isValidRequest } from './valid-request.ts'
