/** gunicorn, as it comes, behind the gate: no header takes a path past a block rule. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTestDataPlane } from '../../packages/gateway/test/support/test-data-plane.ts'
import { blockRule } from '../support/block-rule.ts'
import { ask, askGate } from './support/ask.ts'
import { startGunicorn, startPythonCgi, without } from './support/programs.ts'

const skip = without('gunicorn')
const ADMIN = blockRule('admin', '/admin')

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

async function openApplication(context: TestContext) {
  const server = await startGunicorn(context, APPLICATION)
  const gate = await startTestDataPlane(context, server.port, { site: { blockRules: [ADMIN] } })
  return { port: gate.port, originPort: server.port }
}

/** A target that no rule covers, with a header by which this server or application takes it for `/admin/users`. */
const REPLACING = [
  ['/x/admin/users', 'SCRIPT_NAME', '/x'],
  ['/x/admin/users', 'Script_Name', '/x'],
  ['/x/admin/users', 'X-Script-Name', '/x'],
  ['/x/admin/users', 'X_Script_Name', '/x'],
  ['/x/admin/users', 'X-Forwarded-Prefix', '/x'],
  ['/x', 'X-Original-URI', '/admin/users'],
  ['/x', 'X_Original_URI', '/admin/users'],
  ['/x', 'Path-Info', '/admin/users'],
  ['/x', 'PATH_INFO', '/admin/users'],
] as const

test('asked directly, the server obeys each of these headers', { skip }, async (context) => {
  const { originPort } = await openApplication(context)
  for (const [target, name, value] of REPLACING)
    assert.equal((await ask(originPort, 'GET', target, [[name, value]])).text, 'path=/admin/users.', name)
})

test('behind the gate, none takes a path past a block rule', { skip }, async (context) => {
  const { port } = await openApplication(context)
  const past: string[] = []
  for (const [target, name, value] of REPLACING)
    if ((await askGate(port, 'GET', target, [[name, value]])).text.includes('path=/admin')) past.push(name)
  assert.deepEqual(past, [])
  const { text } = await askGate(port, 'GET', '/x/admin/users')
  assert.equal(text, 'path=/x/admin/users.', 'the path alone is under no rule')
})

const SCRIPT = `#!/usr/bin/env python3
import os, sys
sys.stdout.write('Content-Type: text/plain\\r\\n\\r\\npath=' + os.environ.get('PATH_INFO', '') + '.')
`

test('a front controller takes the rest of the path; where the site says so, rules hold', {
  skip: without('python3'),
}, async (context) => {
  const server = await startPythonCgi(context, 'app.py', SCRIPT)
  assert.equal((await ask(server.port, 'GET', '/cgi-bin/app.py/admin')).text, 'path=/admin.')
  const gate = await startTestDataPlane(context, server.port, {
    site: { blockRules: [ADMIN], pathConventions: ['frontController'] },
  })
  for (const target of [
    '/cgi-bin/app.py/admin',
    '/cgi-bin/app.py/%61dmin',
    '/cgi-bin/app.py/x/../admin',
    '/cgi-bin/app.py//admin',
  ])
    assert.equal((await askGate(gate.port, 'GET', target)).status, 403, target)
  assert.equal((await askGate(gate.port, 'GET', '/cgi-bin/app.py/other')).text, 'path=/other.')
})
