/**
 * An immutable list of texts of which a changed copy costs only what changed, kept where the garbage collector need not
 * look: rows lie one behind the other in pages of bytes, and a copy shares all pages but those that an edit touched.
 *
 * As objects, 100,000 researchers are a few million things for V8 to mark, and move while they are young; as bytes they
 * are a few thousand buffers.
 */
const ROWS_PER_PAGE = 64
const NOTHING: Buffer = Buffer.alloc(0)
const NO_PAGE = -1
/** So many pages are held unpacked; beyond, the one that was unpacked first is packed again. */
const LOOSE_PAGES_MAX = 64

/** Rows behind one another; `ends[n]` is where the n-th ends. */
export interface RowPage {
  readonly bytes: Buffer
  readonly ends: Uint32Array
}

/** Numbers of removed rows, to be used again: a list that later versions can share. */
interface FreeRows {
  readonly row: number
  readonly next: FreeRows | undefined
}

export class PackedRows {
  readonly #pages: readonly RowPage[]
  readonly #count: number
  readonly #free: FreeRows | undefined

  private constructor(pages: readonly RowPage[], count: number, free: FreeRows | undefined) {
    this.#pages = pages
    this.#count = count
    this.#free = free
  }

  static readonly empty = new PackedRows([], 0, undefined)

  /** The page that holds a row. It is the same object for as long as none of its rows changes. */
  pageOf(row: number): RowPage | undefined {
    return this.#pages[Math.floor(row / ROWS_PER_PAGE)]
  }

  /** A view of the row's bytes; empty where the row was removed. */
  get(row: number): Buffer {
    const page = this.pageOf(row)
    return page ? rowOf(page, row % ROWS_PER_PAGE) : NOTHING
  }

  /** All rows that were not removed, a page's at a time. */
  *pages(): Generator<readonly Buffer[]> {
    for (const page of this.#pages) yield rowsOf(page)
  }

  /** The pages themselves. One is the same object in all versions of the list that have the same rows in it. */
  sharedPages(): readonly RowPage[] {
    return this.#pages
  }

  /** How many rows there are, the removed ones among them. */
  get count(): number {
    return this.#count
  }

  edit(): PackedRowsEdit {
    return new PackedRowsEdit(this.#pages, this.#count, this.#free, finish)
  }

  static finished(pages: readonly RowPage[], count: number, free: FreeRows | undefined): PackedRows {
    return new PackedRows(pages, count, free)
  }
}

type Finish = (pages: readonly RowPage[], count: number, free: FreeRows | undefined) => PackedRows
const finish: Finish = (pages, count, free) => PackedRows.finished(pages, count, free)

/** Changes to a list that become a new one; the old one stays as it was. */
export class PackedRowsEdit {
  readonly #pages: RowPage[]
  readonly #finish: Finish
  /** Unpacked pages, until they are packed again. */
  readonly #loose = new Map<number, Buffer[]>()
  /** The rows of the last page, where it is being filled. */
  readonly #tail = new Tail()
  #count: number
  #free: FreeRows | undefined

  constructor(pages: readonly RowPage[], count: number, free: FreeRows | undefined, finishAs: Finish) {
    this.#pages = [...pages]
    this.#count = count
    this.#free = free
    this.#finish = finishAs
  }

  /** A view of the row's bytes, until the next change; empty where the row was removed. */
  get(row: number): Buffer {
    const number = Math.floor(row / ROWS_PER_PAGE)
    const loose = this.#loose.get(number)
    if (loose) return loose[row % ROWS_PER_PAGE] ?? NOTHING
    const page = number === this.#tail.number ? this.#tail : this.#pages[number]
    return page ? rowOf(page, row % ROWS_PER_PAGE) : NOTHING
  }

  /** Adds a row and returns its number. */
  add(bytes: Buffer): number {
    const free = this.#free
    if (free) {
      this.#free = free.next
      this.replace(free.row, bytes)
      return free.row
    }
    const row = this.#count
    const number = Math.floor(row / ROWS_PER_PAGE)
    this.#count += 1
    if (this.#loose.has(number)) this.replace(row, bytes)
    else {
      if (number !== this.#tail.number) this.#tail.begin(number, this.#pages[number])
      this.#tail.add(bytes)
      if (this.#count % ROWS_PER_PAGE === 0) this.#packTail()
    }
    return row
  }

  replace(row: number, bytes: Buffer): void {
    const number = Math.floor(row / ROWS_PER_PAGE)
    if (number === this.#tail.number) this.#packTail()
    let loose = this.#loose.get(number)
    if (!loose) {
      loose = unpack(this.#pages[number])
      this.#loose.set(number, loose)
    }
    loose[row % ROWS_PER_PAGE] = bytes
    if (this.#loose.size > LOOSE_PAGES_MAX) this.#packFirst()
  }

  remove(row: number): void {
    this.replace(row, NOTHING)
    this.#free = { row, next: this.#free }
  }

  /** The edited list. The edit must not be used after it. */
  finish(): PackedRows {
    this.#packTail()
    for (const number of this.#loose.keys()) this.#pack(number)
    return this.#finish(this.#pages, this.#count, this.#free)
  }

  #packTail(): void {
    const { number } = this.#tail
    if (number !== NO_PAGE) this.#pages[number] = this.#tail.end()
  }

  #packFirst(): void {
    for (const number of this.#loose.keys()) {
      this.#pack(number)
      return
    }
  }

  #pack(number: number): void {
    this.#pages[number] = pack(this.#loose.get(number) ?? [])
    this.#loose.delete(number)
  }
}

/**
 * The last page while rows are added to it. They are copied at once: as views that are kept until the page is full, they
 * would live long enough for V8 to move them twice.
 */
class Tail implements RowPage {
  /** Which page it is; `NO_PAGE` between two. */
  number = NO_PAGE
  bytes: Buffer = NOTHING
  readonly ends = new Uint32Array(ROWS_PER_PAGE)
  #count = 0
  #used = 0

  /** Begins with the rows that the page has already. */
  begin(number: number, page: RowPage | undefined): void {
    this.number = number
    this.#count = 0
    this.#used = 0
    for (const row of unpack(page)) this.add(row)
  }

  add(row: Buffer): void {
    const end = this.#used + row.length
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * end)
      this.bytes.copy(larger, 0, 0, this.#used)
      this.bytes = larger
    }
    row.copy(this.bytes, this.#used)
    this.#used = end
    this.ends[this.#count] = end
    this.#count += 1
  }

  /** The page, in memory of its own: this goes on to the next. */
  end(): RowPage {
    const bytes = Buffer.allocUnsafeSlow(this.#used)
    this.bytes.copy(bytes, 0, 0, this.#used)
    this.number = NO_PAGE
    return { bytes, ends: this.ends.slice(0, this.#count) }
  }
}

/** In memory of its own: what comes from Node's pool keeps the pool's other tenants, long gone, for as long as it lives. */
function pack(rows: readonly Buffer[]): RowPage {
  const bytes = Buffer.allocUnsafeSlow(rows.reduce((sum, row) => sum + row.length, 0))
  const ends = new Uint32Array(rows.length)
  let end = 0
  rows.forEach((row, index) => {
    end += row.copy(bytes, end)
    ends[index] = end
  })
  return { bytes, ends }
}

const unpack = (page: RowPage | undefined): Buffer[] =>
  page ? Array.from(page.ends, (_end, index) => rowOf(page, index)) : []

/** The rows of a page that were not removed. */
export const rowsOf = (page: RowPage): readonly Buffer[] => unpack(page).filter(({ length }) => length > 0)

const rowOf = ({ bytes, ends }: RowPage, index: number): Buffer =>
  bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index])
