import type { ReactNode } from 'react'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  questions: (link: ReactNode) => phrase`Questions: ${link}`,
}
