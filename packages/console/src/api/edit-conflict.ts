/** Somebody else saved the same text meanwhile, and two texts cannot be merged. */
export class EditConflict extends Error {
  override readonly name = 'EditConflict'

  constructor() {
    super('Somebody else has saved it meanwhile; nothing of yours was saved.')
  }
}
