/** The form of a request target that is sent to proxies (RFC 9112, section 3.2.2). Its group is the authority. */
export const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i

/** What a proxy asks the server (RFC 9112, section 3.2.1); the target itself where it is not in absolute form. */
export function originFormOf(target: string): string {
  const absolute = ABSOLUTE_FORM.exec(target)
  if (!absolute) return target
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
