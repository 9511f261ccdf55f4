import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './build/precompress.ts'

/** The researcher's page: served by each gateway on the gate's own host, from `dist/researcher`. */
export default defineConfig({
  root: join(import.meta.dirname, 'src/researcher'),
  base: '/',
  plugins: [react(), precompress()],
  build: {
    outDir: join(import.meta.dirname, 'dist/researcher'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
