/** Until when a rule that an organization wrote is in force. */

/** The instant from which it is not, milliseconds since the epoch; infinity where it names none. */
export const expiryOf = ({ expires }: { readonly expires?: string | undefined }): number =>
  expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires)

/** Whether a block rule is in force at an instant. */
export const isInForce = (
  rule: { readonly enabled: boolean; readonly expires?: string | undefined },
  now: number,
): boolean => rule.enabled && now < expiryOf(rule)
