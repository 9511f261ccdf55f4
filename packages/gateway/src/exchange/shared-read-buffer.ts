/**
 * One buffer for what all connections read: libuv fills it and hands it over at once, so two reads never share it, and
 * what is kept must be copied. Saves an allocation of 64 KiB for each read.
 */
export const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024)

/** Most reads are small and of few sizes, so that their views are made once. */
const KEPT_VIEW_BYTES_MAX = 4_096
const views: (Buffer | undefined)[] = new Array(KEPT_VIEW_BYTES_MAX + 1)

/** What a read of so many bytes left in the buffer; valid until the next read. */
export function viewOfRead(bytesRead: number): Buffer {
  if (bytesRead > KEPT_VIEW_BYTES_MAX) return READ_BUFFER.subarray(0, bytesRead)
  let view = views[bytesRead]
  if (view === undefined) {
    view = READ_BUFFER.subarray(0, bytesRead)
    views[bytesRead] = view
  }
  return view
}
