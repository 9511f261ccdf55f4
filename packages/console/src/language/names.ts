/** What can be seen: neither a space, a control, a mark without a letter below it, nor a character that is drawn as nothing. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** A name that somebody gave, or `instead` where nothing of it would be seen: a link to nothing could not be found. */
export const nameOr = (name: string | null | undefined, instead: string): string =>
  name && VISIBLE.test(name) ? name : instead

interface NamedPerson {
  readonly name: string | null
  readonly email: string
}

/** A person's name, or the e-mail address where there is none. */
export const personName = ({ name, email }: NamedPerson): string => nameOr(name, email)

/** The name with the address, which distinguishes people of one name. */
export const personWithAddress = ({ name, email }: NamedPerson): string =>
  nameOr(name, '') ? `${name} (${email})` : email
