/**
 * What others send is read from one long string, and V8 makes each part of it a window on the whole: whoever keeps a name of
 * thirteen characters keeps a head of 64 KiB. So what is to stay is copied first.
 */

/** A copy for caches and lists. Texts off the wire have one character per byte; any other is no part of a head. */
export function flatCopy(text: string): string {
  const copy = Buffer.from(text, 'latin1').toString('latin1')
  return copy === text ? copy : text
}
