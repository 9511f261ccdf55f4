/** gunicorn, as it comes, behind the gate: no header takes a path past a block rule. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BlockRule } from '@sallyport/contract'
import { openTestDoor, request, sendRaw } from '../../packages/gateway/test/support/test-door.ts'
import { startGunicorn, startPythonCgi, without } from './support/programs.ts'

const skip = without('gunicorn')
const ADMIN: BlockRule = { id: 'admin', pathPrefix: '/admin', methods: [], status: 403, enabled: true }

/** Answers with the path as the server says it, and as the usual middleware for reverse proxies makes of it. */
const APPLICATION = `
def application(environ, start_response):
    path = environ.get('PATH_INFO', '')
    prefix = environ.get('HTTP_X_SCRIPT_NAME') or environ.get('HTTP_X_FORWARDED_PREFIX') or ''
    if prefix and path.startswith(prefix):
        path = path[len(prefix):]
    path = environ.get('HTTP_X_ORIGINAL_URI') or environ.get('HTTP_PATH_INFO') or path
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [('path=' + path + '.').encode()]
`

const sendTo = async (port: number, line: string, ...headers: string[]) =>
  sendRaw(port, [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join('\r\n'))

async function openApplication(context: TestContext) {
  const server = await startGunicorn(context, APPLICATION)
  const gate = await openTestDoor(context, server.port, { site: { blockRules: [ADMIN] } })
  const send = (line: string, ...headers: string[]) =>
    sendRaw(gate.port, request(line, 'Connection: close', ...headers))
  return { ...gate, originPort: server.port, send }
}

/** A target that no rule covers, with a header by which this server or application takes it for `/admin/users`. */
const REPLACING = [
  ['/x/admin/users', 'SCRIPT_NAME: /x'],
  ['/x/admin/users', 'Script_Name: /x'],
  ['/x/admin/users', 'X-Script-Name: /x'],
  ['/x/admin/users', 'X_Script_Name: /x'],
  ['/x/admin/users', 'X-Forwarded-Prefix: /x'],
  ['/x', 'X-Original-URI: /admin/users'],
  ['/x', 'X_Original_URI: /admin/users'],
  ['/x', 'Path-Info: /admin/users'],
  ['/x', 'PATH_INFO: /admin/users'],
] as const

test('asked directly, the server obeys each of these headers', { skip }, async (context) => {
  const { originPort } = await openApplication(context)
  for (const [target, header] of REPLACING)
    assert.match((await sendTo(originPort, `GET ${target}`, header)).text, /path=\/admin\/users\./, header)
})

test('behind the gate, none takes a path past a block rule', { skip }, async (context) => {
  const gate = await openApplication(context)
  const past: string[] = []
  for (const [target, header] of REPLACING)
    if ((await gate.send(`GET ${target}`, header)).text.includes('path=/admin')) past.push(header)
  assert.deepEqual(past, [])
  const { text } = await gate.send('GET /x/admin/users')
  assert.match(text, /path=\/x\/admin\/users\./, 'the path alone is under no rule')
})

const SCRIPT = `#!/usr/bin/env python3
import os, sys
sys.stdout.write('Content-Type: text/plain\\r\\n\\r\\npath=' + os.environ.get('PATH_INFO', '') + '.')
`

test('a front controller takes the rest of the path; where the site says so, rules hold', {
  skip: without('python3'),
}, async (context) => {
  const server = await startPythonCgi(context, 'app.py', SCRIPT)
  assert.match((await sendTo(server.port, 'GET /cgi-bin/app.py/admin')).text, /path=\/admin\./)
  const gate = await openTestDoor(context, server.port, {
    site: { blockRules: [ADMIN], pathConventions: ['frontController'] },
  })
  const send = async (target: string) =>
    (await sendRaw(gate.port, request(`GET ${target}`, 'Connection: close'))).text
  for (const target of [
    '/cgi-bin/app.py/admin',
    '/cgi-bin/app.py/%61dmin',
    '/cgi-bin/app.py/x/../admin',
    '/cgi-bin/app.py//admin',
  ])
    assert.match(await send(target), /^HTTP\/1\.1 403 /, target)
  assert.match(await send('/cgi-bin/app.py/other'), /path=\/other\./)
})
