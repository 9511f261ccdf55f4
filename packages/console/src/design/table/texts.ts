import { wholeNumber } from '../../language/number.ts'

/** The words of this folder, in English. */
export const texts = {
  showFewer: 'Show fewer',
  showRestMore: (rest: number) => `Show ${wholeNumber(rest)} more`,

  showMore: 'Show more',
}
