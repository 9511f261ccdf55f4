/**
 * The pictures in `docs/images`: `node tools/screenshots.ts [name …]` while `npm run demo` runs (give it some minutes of
 * traffic), all by default. Reads the demo's first-run file for the password; SALLYPORT_DATA_DIR says where, as for the
 * demo. Where ImageMagick is installed, pictures are cut down to 200 colours, a third of their size.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FirstRun } from '../packages/sallyport/src/roles/first-run-file.ts'
import { type Browser, startBrowser } from '../test/browser/support/chromium.ts'
import { consolePictures, type Picture, readDemo, researcherPictures } from './screenshots/pictures.ts'

const root = resolve(import.meta.dirname, '..')
const dataDir = resolve(process.env.SALLYPORT_DATA_DIR || join(root, 'data', 'demo'))
const images = join(root, 'docs/images')
const SETTLE_MS = 1_500
const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 390, height: 844 }

const firstRun: FirstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'))
const wanted = process.argv.slice(2)
const demo = await readDemo(firstRun)
const pictures = [...consolePictures(demo), ...researcherPictures(demo)]
const unknown = wanted.filter((name) => !pictures.some((picture) => picture.name === name))
if (unknown.length > 0) throw new Error(`there is no picture ${unknown.join(', ')}`)

mkdirSync(images, { recursive: true })
const browser = await startBrowser({ viewport: WIDE })
try {
  for (const picture of pictures)
    if (wanted.length === 0 || wanted.includes(picture.name)) await take(browser, picture)
} finally {
  await browser.close()
}

async function take({ open }: Browser, picture: Picture): Promise<void> {
  const page = await open()
  await page.emulateMedia({ colorScheme: picture.scheme ?? 'light' })
  await page.setViewportSize(picture.narrow ? NARROW : WIDE)
  await page.goto(picture.url)
  await picture.prepare?.(page)
  // What is further down is asked for once it is near.
  if (!picture.narrow) await page.setViewportSize({ ...WIDE, height: picture.heightMax ?? WIDE.height })
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' })
  await page.waitForTimeout(SETTLE_MS)
  await page.setViewportSize(picture.narrow ? NARROW : WIDE)
  const path = join(images, `${picture.name}.png`)
  const height = await page.evaluate(() => {
    const main = document.querySelector('main')
    return main ? main.scrollHeight + main.getBoundingClientRect().top : document.body.scrollHeight
  })
  // A page that is longer than the window is shown whole, within reason.
  const { width, height: least } = picture.narrow ? NARROW : WIDE
  await page.setViewportSize({
    width,
    height: Math.min(Math.max(least, Math.ceil(height)), picture.heightMax ?? least),
  })
  await page.waitForTimeout(SETTLE_MS / 3)
  await page.screenshot({ path })
  await page.close()
  spawnSync('convert', [path, '-strip', '+dither', '-colors', '200', `PNG8:${path}`])
  console.log(`docs/images/${picture.name}.png`)
}
