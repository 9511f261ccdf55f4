/** The words of this folder, in English. */
export const texts = {
  search: (toLowerCase: string) => `Search ${toLowerCase}`,
}
