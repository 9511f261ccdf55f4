/** What a person does with Node-RED in a browser, and what they saw of it: the same with and without a gate in between. */
import type { Page } from 'playwright-core'

const UPLOAD_BYTES = 300_000
const MESSAGE = 'said by an imported flow'
const IMPORTED = [
  { id: 'a1', type: 'tab', label: 'Imported' },
  {
    id: 'b1',
    type: 'inject',
    z: 'a1',
    name: '',
    props: [{ p: 'payload' }],
    repeat: '',
    crontab: '',
    topic: '',
    once: true,
    onceDelay: 0.1,
    payload: MESSAGE,
    payloadType: 'str',
    x: 150,
    y: 80,
    wires: [['c1']],
  },
  {
    id: 'c1',
    type: 'debug',
    z: 'a1',
    name: '',
    active: true,
    tosidebar: true,
    complete: 'payload',
    console: false,
    tostatus: false,
    targetType: 'msg',
    statusVal: '',
    statusType: 'auto',
    x: 350,
    y: 80,
    wires: [],
  },
]

/** What was seen, free of the name under which it was reached. */
export interface Seen {
  readonly editorPath: string
  readonly refusedLogin: string
  readonly uploaded: string
  readonly uploadPath: string
  readonly message: string
  /** Names of the cookies afterwards. */
  readonly cookies: readonly string[]
  /** Paths of the WebSockets that were opened, and whether messages came in. */
  readonly webSockets: readonly string[]
}

/** Logs in, uploads, imports a flow from a file, deploys it and waits for its message. */
export async function useEditor(page: Page, base: string): Promise<Seen> {
  const webSockets = new Set<string>()
  page.on('websocket', (socket) =>
    socket.on('framereceived', () => webSockets.add(`${new URL(socket.url()).pathname} spoke`)),
  )
  await page.goto(`${base}/form`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'report.bin',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(UPLOAD_BYTES, 'upload'),
  })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.waitForURL('**/taken*')
  const uploaded = (await page.textContent('body')) ?? ''
  const uploadPath = relativeTo(base, page.url())

  await page.goto(`${base}/admin`)
  const editorPath = relativeTo(base, page.url())
  await logIn(page, 'babbage')
  await page.locator('#node-dialog-login-failed').waitFor()
  const refusedLogin = (await page.textContent('#node-dialog-login-failed')) ?? ''
  await logIn(page, 'lovelace')
  await page.locator('#red-ui-header-button-deploy').waitFor()
  await importFlow(page)
  const message = await deployAndListen(page)
  const cookies = await page.context().cookies(base)
  return {
    editorPath,
    refusedLogin: refusedLogin.trim(),
    uploaded,
    uploadPath,
    message,
    cookies: cookies.map(({ name }) => name).filter((name) => !name.startsWith('__Host-')),
    webSockets: [...webSockets],
  }
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.locator('#node-dialog-login-username').fill('ada')
  await page.locator('#node-dialog-login-password').fill(password)
  await page.locator('#node-dialog-login-submit').click()
}

async function importFlow(page: Page): Promise<void> {
  await page.locator('#red-ui-workspace-chart').waitFor()
  await page.keyboard.press('Control+i')
  await page.locator('#red-ui-clipboard-dialog-import-file-upload').setInputFiles({
    name: 'flow.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(IMPORTED)),
  })
  await page.locator('#red-ui-clipboard-dialog-ok:not([disabled])').click()
  await page.getByText('Imported', { exact: true }).first().waitFor()
}

/** The message of the flow comes over the editor's WebSocket and is shown beside it. */
async function deployAndListen(page: Page): Promise<string> {
  const deployed = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && /\/flows$/.test(answer.url()),
  )
  await page.locator('#red-ui-header-button-deploy').click()
  await deployed
  const shown = page.locator('.red-ui-debug-msg', { hasText: MESSAGE })
  await shown.first().waitFor()
  return MESSAGE
}

const relativeTo = (base: string, url: string): string => url.replace(base, '')
