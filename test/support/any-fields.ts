/** Arbitrary values of the record's fields, made from the table of fields. */
import { type FieldType, TRAFFIC_FIELDS, type TrafficEvent, type TrafficFieldName } from '@sallyport/contract'
import fc from 'fast-check'

/** What texts and numbers are made of. */
export interface AnyValues {
  readonly text: (charsMax: number) => fc.Arbitrary<string>
  readonly uuid: () => fc.Arbitrary<string>
  readonly integer: (min: number, max: number) => fc.Arbitrary<number>
}

function anyValue(type: FieldType, values: AnyValues): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'uuid':
      return values.uuid()
    case 'text':
      return values.text(type.charsMax)
    case 'word':
      return fc.constantFrom(...type.words)
    case 'integer':
      return values.integer(type.min, type.max)
    case 'flag':
      return fc.boolean()
    case 'texts':
      return fc.array(values.text(type.charsMax), { maxLength: type.itemsMax })
    case 'objects': {
      const fields = Object.entries(type.fields).map(([name, field]) => [name, anyValue(field.type, values)])
      return fc.array(fc.record(Object.fromEntries(fields), { noNullPrototype: true }), {
        maxLength: type.itemsMax,
      })
    }
  }
}

/** An object with these fields, but for those that are given by themselves. */
export const anyFields = <Shape>(
  names: readonly TrafficFieldName[],
  values: AnyValues,
  given: { readonly [Name in keyof TrafficEvent]?: fc.Arbitrary<TrafficEvent[Name]> } = {},
): fc.Arbitrary<Shape> =>
  fc.record(
    Object.fromEntries(
      names.map((name) => [name, given[name] ?? anyValue(TRAFFIC_FIELDS[name].type, values)]),
    ),
    { noNullPrototype: true },
    // The table says the shapes, and the types are made from it.
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<Shape>
