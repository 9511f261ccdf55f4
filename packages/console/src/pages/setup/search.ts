/** What the address of the page says: the origin that the form begins with. */
export interface SetupSearch {
  readonly origin?: string
}

export const readSetupSearch = ({ origin }: Readonly<Record<string, unknown>>): SetupSearch =>
  typeof origin === 'string' && origin !== '' ? { origin } : {}
