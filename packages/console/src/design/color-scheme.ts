import { localStorageColorSchemeManager } from '@mantine/core'

/** Read by `public/prelude.js` under the same name before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'sallyport.color-scheme' })

/** The nonce of this response, without which the content security policy refuses a style element. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? ''
