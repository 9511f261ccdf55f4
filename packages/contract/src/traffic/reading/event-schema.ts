/** The bounds of a request and its sender as schemas, made from the table of fields. */
import { z } from 'zod'
import type { FirewallHit, TrafficRequest, TrafficSender } from '../event.ts'
import type { FieldType } from '../field.ts'
import {
  HIT_FIELDS,
  TRAFFIC_FIELDS,
  type TrafficFieldName,
  trafficRequestFields,
  trafficSenderFields,
} from '../fields.ts'
import { UUID } from '../values.ts'

function schemaOf(type: FieldType): z.ZodType {
  switch (type.kind) {
    case 'uuid':
      return z.string().regex(UUID, 'a lower-case UUID')
    case 'text':
      return type.charsMin > 0
        ? z.string().min(type.charsMin).max(type.charsMax)
        : z.string().max(type.charsMax)
    case 'word':
      return z.enum(type.words)
    case 'integer':
      return z.int().min(type.min).max(type.max)
    case 'flag':
      return z.boolean()
    case 'texts':
      return z.array(z.string().max(type.charsMax)).max(type.itemsMax)
    case 'objects':
      return z.array(objectOf(type.fields)).max(type.itemsMax)
  }
}

const objectOf = (fields: Readonly<Record<string, { readonly type: FieldType }>>): z.ZodType =>
  z.object(Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, schemaOf(type)])))

const fieldsNamed = (names: readonly TrafficFieldName[]) =>
  Object.fromEntries(names.map((name) => [name, TRAFFIC_FIELDS[name]]))

// The table says the shapes, and the types are made from it.
/** Exactly the shape of `FirewallHit`; unknown members are dropped. */
export const firewallHitSchema = objectOf(HIT_FIELDS) as z.ZodType<FirewallHit>

/** Exactly the shape of `TrafficSender`; unknown members are dropped. */
export const trafficSenderSchema = objectOf(fieldsNamed(trafficSenderFields)) as z.ZodType<TrafficSender>

/** Exactly the shape of `TrafficRequest`; unknown members are dropped. */
export const trafficRequestSchema = objectOf(fieldsNamed(trafficRequestFields)) as z.ZodType<TrafficRequest>
