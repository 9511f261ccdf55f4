/**
 * Makes the page preload the code of the console beside its entry: the entry runs it once it knows who is signed in, and by
 * then the code is loaded. The overview is what most people see first, so its code is preloaded, too; and so is the font of Latin
 * letters, which is not waited for.
 */
import type { Plugin } from 'vite'

const WANTED = [/\/src\/app\/start\.tsx$/, /\/src\/pages\/overview\/overview-page\.tsx$/]

const FONT = /\/inter-latin-wght-normal-[^/]*\.woff2$/

const link = (attrs: Readonly<Record<string, string>>) => ({
  tag: 'link',
  attrs: { ...attrs, crossorigin: true },
  injectTo: 'head' as const,
})

export function preloadConsole(): Plugin {
  return {
    name: 'sallyport-preload-console',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const files = new Set<string>()
        for (const output of Object.values(bundle)) {
          const module = output.type === 'chunk' ? output.facadeModuleId : null
          if (output.type !== 'chunk' || !module || !WANTED.some((one) => one.test(module))) continue
          for (const file of [output.fileName, ...output.imports]) files.add(file)
        }
        const tags = [...files]
          .filter((file) => !html.includes(file))
          .map((file) => link({ rel: 'modulepreload', href: `/console/${file}` }))
        const fonts = Object.keys(bundle)
          .filter((file) => FONT.test(file))
          .map((file) => link({ rel: 'preload', as: 'font', type: 'font/woff2', href: `/console/${file}` }))
        return [...tags, ...fonts]
      },
    },
  }
}
