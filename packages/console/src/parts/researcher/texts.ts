/** The words of this folder, in English. */
export const texts = {
  active: 'Active',
  paused: 'Paused',
  expired: 'Expired',
}
