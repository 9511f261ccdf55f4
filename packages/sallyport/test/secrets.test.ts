/** Secrets in files: whole or not at all, and for their owner alone, whatever an interrupted start left. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { writePrivateText } from '../src/private-file.ts'
import { gatewayIdOf } from '../src/roles/gateway.ts'
import { adminTokenFile, keepAdminToken } from '../src/secrets.ts'

test('an admin token that a crash left empty is made anew, and then kept', (context) => {
  const folder = temporaryFolder(context)
  writeFileSync(adminTokenFile(folder), '')
  const token = keepAdminToken(folder)
  assert.match(token, /^[\w-]{43}$/)
  assert.equal(keepAdminToken(folder), token)
  assert.equal(readFileSync(adminTokenFile(folder), 'utf8'), token)
  assert.equal(statSync(adminTokenFile(folder)).mode & 0o777, 0o600)
})

test('a name of a gateway that a full disk left empty is made anew, and then kept', (context) => {
  const folder = temporaryFolder(context)
  writeFileSync(join(folder, 'id'), '')
  const id = gatewayIdOf({ gatewayId: undefined }, folder)
  assert.match(id, /^gateway-[0-9a-f]{12}$/)
  assert.equal(gatewayIdOf({ gatewayId: undefined }, folder), id)
})

test('what an interrupted write left for others to read does not make the secret readable', (context) => {
  const file = join(temporaryFolder(context), 'secret')
  writeFileSync(`${file}.new`, 'half', { mode: 0o644 })
  writePrivateText(file, 'whole')
  assert.equal(readFileSync(file, 'utf8'), 'whole')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(existsSync(`${file}.new`), false)
})
