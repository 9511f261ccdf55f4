import { createElement, Fragment, type ReactNode } from 'react'

/** A sentence with elements in it, as a tagged template: the words around them, and their order, are one text. */
export const phrase = (words: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...words.flatMap((word, place) => [word, parts[place]]))
