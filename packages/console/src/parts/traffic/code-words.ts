/** Codes of the record in words. */

/** A score in percent as a probability. */
export const scoreWords = (scorePercent: number): string => (scorePercent / 100).toFixed(2)

/** Why a request was refused, in a few words made of the reason's code. */
export function reasonWords(reason: string): string {
  const words = reason.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
