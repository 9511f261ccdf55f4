import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontLicense } from './build/font-license.ts'
import { operationRoutes } from './build/operation-routes.ts'
import { precompress } from './build/precompress.ts'
import { preloadConsole } from './build/preload.ts'

/** What neither the frame nor the overview has a use for, though several pages share it. */
const LATER = [
  /\/console\/src\/parts\/(audit|coverage|firewall|preview)\//,
  /\/console\/src\/pages\/(projects|sites)\//,
  /\/console\/src\/design\/(table\/(table|rows-in-sight)|page\/use-is-printed)\./,
  /\/@mantine\/core\/.*\/components\/(Drawer|Switch|Textarea)\//,
  /\/@tanstack\/(react-virtual|virtual-core)\//,
]
const isForLater = (id: string): boolean => LATER.some((one) => one.test(id))

/**
 * What pages share comes in a few files instead of dozens of small ones: the frame that draws and routes, the parts of the
 * first page (the console's own, and the library's components that more than one page uses), and more, which the other
 * pages share. The entry needs none of them, and the schemas are for the two forms that judge what is typed before it is
 * sent.
 */
const CHUNKS = [
  // What the entry shares with the rest: among the parts, it would make the entry wait for all of them.
  { name: 'loader', test: /vite\/preload-helper|src\/session\/kept-secrets\.ts/, priority: 5 },
  // Constants that the schemas are made of, too: apart from them, or they would bring them along.
  {
    name: 'words',
    test: /contract\/src\/(rules\/firewall-modes|limits|permissions|traffic\/(values|reasons))\.ts/,
    priority: 4,
  },
  {
    name: 'schemas',
    test: /node_modules\/zod\/|contract\/src\/(fields|rules\/(firewall|block-rules))\.ts/,
    priority: 3,
  },
  {
    name: 'frame',
    test: (id: string) => /node_modules\/(react|react-dom|scheduler|@tanstack)\//.test(id) && !isForLater(id),
    priority: 2,
    minShareCount: 2,
  },
  { name: 'parts', test: (id: string) => !isForLater(id), priority: 1, minShareCount: 2 },
  { name: 'more', minShareCount: 2 },
]

/** The admin console: served by the control plane under `/console/`, from `dist/console`. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), operationRoutes(), preloadConsole(), fontLicense(), precompress()],
  build: {
    outDir: 'dist/console',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // One small sheet, in the head, instead of one more request before each page can be drawn.
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
})
