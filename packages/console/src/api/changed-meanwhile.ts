/** Somebody else changed it since, in a way that cannot be put together with one's own. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile'

  constructor() {
    super('Somebody else has saved it meanwhile; nothing of yours was saved.')
  }
}
