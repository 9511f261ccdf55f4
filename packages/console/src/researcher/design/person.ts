interface NamedPerson {
  readonly name: string
  readonly email: string
}

/** A person's name, or the e-mail address where there is none. */
export const nameOf = ({ name, email }: NamedPerson): string => name || email

/** The name with the address, which distinguishes people of one name. */
export const personOf = ({ name, email }: NamedPerson): string => (name ? `${name} (${email})` : email)
