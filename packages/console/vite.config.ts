import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { operationRoutes } from './build/operation-routes.ts'
import { precompress } from './build/precompress.ts'

/** The admin console: served by the control plane under `/console/`, from `dist/console`. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), operationRoutes(), precompress()],
  build: {
    outDir: 'dist/console',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
})
