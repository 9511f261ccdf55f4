/** What the address of the page says, so that a reload goes on where it was. */
export interface SetupSearch {
  /** The origin that the form begins with. */
  readonly origin?: string
  /** The site that was made. */
  readonly site?: string
  /** The researcher who was invited. */
  readonly researcher?: string
}

const textOf = <Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as { [Key in Name]: string }) : {}

export const readSetupSearch = (search: Readonly<Record<string, unknown>>): SetupSearch => ({
  ...textOf('origin', search.origin),
  ...textOf('site', search.site),
  ...textOf('researcher', search.researcher),
})
