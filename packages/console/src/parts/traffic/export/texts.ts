/** The words of this folder, in English. */
export const texts = {
  export: 'Export',
}
