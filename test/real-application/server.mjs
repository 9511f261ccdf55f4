/**
 * Node-RED with a login, as a process of its own. It has one flow: a page with an upload form, which sets a cookie,
 * takes the upload and redirects, by its own absolute name, to a page that says what came. Prints `{port}` when it
 * serves, then a line of JSON with what each request said about where it was going.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import bcrypt from 'bcryptjs'
import express from 'express'
import RED from 'node-red'

const userDir = mkdtempSync(join(tmpdir(), 'sallyport-node-red-'))
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
const overhear = ({ url, headers }, _response, next) => {
  const { host, origin, referer, cookie } = headers
  say({
    url,
    host,
    origin,
    referer,
    cookie,
    own: Object.keys(headers).filter((name) => /sallyport/.test(name)),
  })
  next()
}

const FORM = `<!doctype html><title>Upload</title>
<form method="post" action="/files" enctype="multipart/form-data"><input type="file" name="file"><button>Send</button></form>`
/** Without a place on the canvas, Node-RED takes a node for a piece of configuration. */
const PLACE = { x: 100, y: 100 }
const FLOW = [
  { id: 'tab', type: 'tab', label: 'Files' },
  { id: 'get', type: 'http in', z: 'tab', ...PLACE, url: '/form', method: 'get', wires: [['form']] },
  {
    ...{ id: 'form', type: 'function', z: 'tab', ...PLACE, outputs: 1, wires: [['out']] },
    func: `msg.cookies = { visit: { value: 'first', httpOnly: true } }
      msg.headers = { 'content-type': 'text/html' }
      msg.payload = ${JSON.stringify(FORM)}
      return msg`,
  },
  {
    id: 'post',
    type: 'http in',
    z: 'tab',
    ...PLACE,
    url: '/files',
    method: 'post',
    upload: true,
    wires: [['taken']],
  },
  {
    ...{ id: 'taken', type: 'function', z: 'tab', ...PLACE, outputs: 1, wires: [['out']] },
    func: `const size = msg.req.files[0].buffer.length
      msg.statusCode = 303
      msg.headers = { location: 'http://' + msg.req.headers.host + '/taken?bytes=' + size }
      msg.payload = ''
      return msg`,
  },
  { id: 'seen', type: 'http in', z: 'tab', ...PLACE, url: '/taken', method: 'get', wires: [['said']] },
  {
    ...{ id: 'said', type: 'function', z: 'tab', ...PLACE, outputs: 1, wires: [['out']] },
    func: `msg.headers = { 'content-type': 'text/plain' }
      msg.payload = msg.req.query.bytes + ' bytes, visit ' + msg.req.cookies.visit
      return msg`,
  },
  { id: 'out', type: 'http response', z: 'tab', ...PLACE, wires: [] },
]

const app = express()
const server = createServer(app)
RED.init(server, {
  userDir,
  flowFile: 'flows.json',
  credentialSecret: 'sallyport',
  httpAdminRoot: '/admin',
  httpAdminMiddleware: overhear,
  httpNodeMiddleware: overhear,
  adminAuth: {
    type: 'credentials',
    users: [{ username: 'ada', password: bcrypt.hashSync('lovelace', 8), permissions: '*' }],
  },
  // Nothing here may look for news on the internet.
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, palette: { catalogues: [] }, projects: { enabled: false } },
  logging: { console: { level: 'error', metrics: false, audit: false } },
})
app.use('/admin', RED.httpAdmin)
app.use('/', RED.httpNode)
server.listen(0, '127.0.0.1', async () => {
  await RED.start()
  await RED.runtime.flows.setFlows({ flows: { flows: FLOW } })
  say({ port: server.address().port })
})
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    rmSync(userDir, { recursive: true, force: true })
    process.exit()
  })
