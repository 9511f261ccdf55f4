/** Puts the license of the font beside the files of the build: it asks to go wherever the font goes (SIL OFL 1.1, condition 2). */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const { resolve } = createRequire(import.meta.url)

export const fontLicense = (): Plugin => ({
  name: 'sallyport-font-license',
  apply: 'build',
  async generateBundle() {
    const source = await readFile(resolve('@fontsource-variable/inter/LICENSE'), 'utf8')
    this.emitFile({ type: 'asset', fileName: 'assets/inter-license.txt', source })
  },
})
