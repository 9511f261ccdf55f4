/** Node-RED: an editor of flows that deploys all of them at once, with functions in JavaScript, templates and expressions. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

/** The application, recorded in a browser. */
export const nodeRed: RecordedApplication = {
  name: 'node-red',
  what: 'an editor of flows',
  npm: { 'node-red': '5.0.7' },
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author, folder, installed } = session
  const [port = 0] = await freePorts(1)
  const program = join(installed, 'node_modules/node-red/red.js')
  await session.start(process.execPath, [program, '--userDir', folder, '--port', String(port)], {
    cwd: folder,
    port,
  })
  const url = session.route('flows', { port })
  const page = await session.openPage()
  await session.repeat(async (round) => {
    if (round % 8 === 0) {
      await page.goto(url)
      await page.waitForFunction(() => Reflect.get(globalThis, 'RED')?.view !== undefined)
      await page.waitForTimeout(1_500)
      await page.keyboard.press('Escape')
      await clear(page)
    }
    const isTechnical = author.chance(0.5)
    const nodes = isTechnical ? technicalFlow(session) : plainFlow(session)
    const work = () => deploy(page, nodes)
    await (isTechnical ? session.carryingCode(work) : work())
    await page.goto(`${url}/nodes?${new URLSearchParams({ search: author.short() })}`).catch(() => undefined)
    await page.goto(url)
    await page.waitForFunction(() => Reflect.get(globalThis, 'RED')?.view !== undefined)
    await page.waitForTimeout(1_000)
  })
}

const PLACE = { x: 200, y: 120 }

function plainFlow({ author }: RecordingSession): object[] {
  const tab = author.uuid()
  return [
    { id: tab, type: 'tab', label: author.title(), info: author.article(2), disabled: false },
    {
      id: author.uuid(),
      type: 'comment',
      z: tab,
      name: author.title(),
      info: author.paragraph(),
      ...PLACE,
      wires: [],
    },
    {
      id: author.uuid(),
      type: 'inject',
      z: tab,
      name: author.short(),
      topic: author.short(),
      payload: author.paragraph(),
      payloadType: 'str',
      props: [{ p: 'payload' }],
      repeat: '',
      once: false,
      ...PLACE,
      wires: [[]],
    },
  ]
}

function technicalFlow({ author }: RecordingSession): object[] {
  const tab = author.uuid()
  const place = { z: tab, ...PLACE, wires: [[]] }
  return [
    { id: tab, type: 'tab', label: author.title(), info: author.technicalParagraph() },
    {
      id: author.uuid(),
      type: 'function',
      name: author.short(),
      func: [
        `const text = ${JSON.stringify(author.paragraph())}`,
        `msg.payload = text.split(' ').map((word) => word.toUpperCase())`,
        'return msg;',
      ].join('\n'),
      outputs: 1,
      ...place,
    },
    {
      id: author.uuid(),
      type: 'template',
      name: author.short(),
      template: `<p>{{payload}}</p>\n<!-- ${author.title()} -->\n${author.snippet().text}`,
      syntax: 'mustache',
      ...place,
    },
    {
      id: author.uuid(),
      type: 'http request',
      name: '',
      method: 'GET',
      url: `https://api.example.org/v1/search?q={{topic}}&limit=10`,
      ...place,
    },
    {
      id: author.uuid(),
      type: 'change',
      name: '',
      rules: [
        { t: 'set', p: 'payload', pt: 'msg', to: '$sum(payload.items.price) & " EUR"', tot: 'jsonata' },
      ],
      ...place,
    },
  ]
}

/** What its page has of its own client. */
interface EditorWindow {
  readonly RED: {
    readonly nodes: { clear(): void }
    readonly view: { importNodes(nodes: object, options: object): void }
    readonly actions: { invoke(name: string): void }
  }
}
type ThisWindow = typeof globalThis & EditorWindow

const clear = (page: Page): Promise<void> => page.evaluate(() => (globalThis as ThisWindow).RED.nodes.clear())

async function deploy(page: Page, nodes: readonly object[]): Promise<void> {
  const deployed = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/flows'),
  )
  const asked = page.evaluate((nodes) => {
    const { view, actions } = (globalThis as ThisWindow).RED
    view.importNodes(nodes, { generateIds: true, addFlow: false, touchImport: true, applyNodeDefaults: true })
    actions.invoke('core:deploy-flows')
  }, nodes)
  await Promise.all([deployed, asked])
}
