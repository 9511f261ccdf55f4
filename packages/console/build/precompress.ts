/** Writes a Brotli and a gzip twin beside each built text file, so that the server compresses nothing at run time. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(js|css|svg)$/
const BYTES_MIN = 1024

export function precompress(): Plugin {
  return {
    name: 'sallyport-precompress',
    apply: 'build',
    async writeBundle(options, bundle) {
      const folder = options.dir ?? '.'
      const names = Object.keys(bundle).filter((name) => COMPRESSIBLE.test(name))
      await Promise.all(names.map((name) => compress(join(folder, name))))
    },
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < BYTES_MIN) return
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(content, { level: 9 }),
  ])
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, zipped)])
}
