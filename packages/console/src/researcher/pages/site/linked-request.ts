/** What a refusal page has of its request in its link (`gate-link.ts` of the gateway). */
const FRAGMENT = /^request-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The id of the request that led here, empty where none did. Anybody can write a link: no other words are taken from it. */
export const linkedRequest = (fragment: string): string => FRAGMENT.exec(fragment)?.[1] ?? ''
