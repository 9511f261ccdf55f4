import type { ReactNode } from 'react'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  thisBrowserIsSigned: (name: ReactNode) =>
    phrase`This browser is signed in as ${name}, somebody else. Go on only if you mean to take their place here: what this browser does from then on is recorded under your name.`,
  replaceThatSession: 'Replace that session',
  keepIt: 'Keep it',
}
