/**
 * What it takes to write rows for ClickHouse: as a block of its Native format, with the columns of a record of a request, and as
 * JSON rows for comparison. Processor time, the median of seven rounds, the sides in turns.
 */
import { randomUUID } from 'node:crypto'
import {
  LowCardinalityColumn,
  nativeBlock,
  numberColumn,
  range,
  StringColumn,
  UuidColumn,
  uint64Column,
} from '@sallyport/clickhouse-native'

const ROWS = 10_000
const ROUNDS = 8
const rows = Array.from({ length: ROWS }, (_, index) => ({
  id: randomUUID(),
  time: 1_790_000_000_000 + index,
  method: index % 9 === 0 ? 'POST' : 'GET',
  target: `/products/${index}?page=${index % 17}`,
  route: `/products/{id}${index % 40}`,
  status: index % 11 === 0 ? 404 : 200,
  bytes: (index * 7919) % 100_000,
}))

function asNative(): number {
  const id = new UuidColumn()
  const time = uint64Column("DateTime64(3, 'UTC')")
  const [method, route] = [new LowCardinalityColumn(), new LowCardinalityColumn()]
  const target = new StringColumn()
  const status = numberColumn('UInt16')
  const bytes = uint64Column('UInt64')
  for (const row of rows) {
    id.add(row.id)
    time.add(row.time)
    method.add(row.method)
    target.add(row.target)
    route.add(row.route)
    status.add(row.status)
    bytes.add(row.bytes)
  }
  const picks = range(0, ROWS)
  const columns = Object.entries({ id, time, method, target, route, status, bytes })
  return nativeBlock(
    columns.map(([name, column]) => ({ name, column, picks })),
    ROWS,
    ROWS * 128,
  ).length
}

const asJson = (): number =>
  Buffer.from(
    rows
      .map((row) =>
        JSON.stringify([row.id, row.time, row.method, row.target, row.route, row.status, row.bytes]),
      )
      .join('\n'),
  ).length

const sides = { Native: asNative, JSONCompactEachRow: asJson }
const times = new Map<string, number[]>()
const sizes = new Map<string, number>()
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, write] of Object.entries(sides)) {
    const from = process.threadCpuUsage()
    sizes.set(name, write())
    const { user, system } = process.threadCpuUsage(from)
    if (round > 0) times.set(name, [...(times.get(name) ?? []), (user + system) / ROWS])
  }
for (const [name, all] of times) {
  const median = all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0
  console.log(
    `  ${name.padEnd(20)} ${median.toFixed(2)} µs and ${((sizes.get(name) ?? 0) / ROWS).toFixed(0)} bytes a row`,
  )
}
