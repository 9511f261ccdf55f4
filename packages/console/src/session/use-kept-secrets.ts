/** The secrets that are kept until somebody says that they are stored, as components ask for them. */
import { useSyncExternalStore } from 'react'
import { isKept, type KeptSecret, lostSecrets, onKeptSecrets } from './kept-secrets.ts'

/** Those that were shown, are not on the page any more, and nobody said that they are stored. */
export const useLostSecrets = (): readonly KeptSecret[] => useSyncExternalStore(onKeptSecrets, lostSecrets)

/** Whether a secret is kept still. */
export const useIsKept = (value: string): boolean => useSyncExternalStore(onKeptSecrets, () => isKept(value))
