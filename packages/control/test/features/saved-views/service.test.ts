import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SAVED_VIEWS_MAX, type SavedView } from '@sallyport/contract'
import { newId } from '../../../src/database/database.ts'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('first')
const other = await control.createOrganization('second')
const [owner, admin, viewer] = [keys.owner, keys.admin, keys.viewer].map((key) => callerOf(control, key))
assert.ok(owner && admin && viewer)
const stranger = callerOf(control, other.keys.owner)
type Caller = typeof owner

const save = async (as: Caller, body: object): Promise<SavedView> => {
  const answer = await as('POST', '/api/SavedViews', { name: 'a view', query: '?status=5xx', ...body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}
const idsOf = async (as: Caller): Promise<string[]> =>
  (await as('GET', '/api/SavedViews?limit=500')).json.items.map(({ id }: SavedView) => id)
const statusOf = async (as: Caller, method: string, id: string, body?: object) =>
  (await as(method, `/api/SavedViews/${id}`, body)).status

test('a view is private until it is shared, and audited', async () => {
  const made = await save(viewer, { name: 'Mine \u202e<b>' })
  assert.deepEqual(
    { ...made, id: '', createdBy: '', creationDate: '' },
    {
      id: '',
      name: 'Mine \u202e<b>',
      query: '?status=5xx',
      isShared: false,
      isOwn: true,
      createdBy: '',
      creationDate: '',
    },
  )
  assert.ok((await idsOf(viewer)).includes(made.id))
  // Not even an owner sees it, or learns that it is there.
  for (const someone of [owner, admin, stranger]) {
    assert.ok(!(await idsOf(someone)).includes(made.id))
    assert.equal(await statusOf(someone, 'GET', made.id), 404)
    assert.equal(await statusOf(someone, 'PATCH', made.id, { name: 'x' }), 404)
    assert.equal(await statusOf(someone, 'DELETE', made.id), 404)
  }
  assert.equal(await statusOf(viewer, 'GET', made.id), 200)
  assert.equal(await statusOf(viewer, 'PATCH', made.id, { isShared: true }), 200)
  for (const someone of [owner, admin]) assert.ok((await idsOf(someone)).includes(made.id))
  assert.ok(!(await idsOf(stranger)).includes(made.id))
  assert.equal(await statusOf(stranger, 'DELETE', made.id), 404)
  const { json } = await owner('GET', '/api/AuditLog?action=savedView')
  assert.deepEqual(
    json.items.map(({ action, target, after: now }: Record<string, unknown>) => [action, target, now]),
    [
      ['savedView.update', { kind: 'savedView', id: made.id }, { isShared: true }],
      [
        'savedView.create',
        { kind: 'savedView', id: made.id },
        { name: 'Mine \u202e<b>', query: '?status=5xx', isShared: false },
      ],
    ],
  )
})

test('a shared view is changed by who made it and by admins, and made private by its maker alone', async () => {
  const { id } = await save(admin, { isShared: true })
  assert.equal(await statusOf(viewer, 'PATCH', id, { name: 'x' }), 403)
  assert.equal(await statusOf(viewer, 'DELETE', id), 403)
  assert.equal(await statusOf(owner, 'PATCH', id, { name: 'by an owner' }), 200)
  assert.equal(await statusOf(owner, 'PATCH', id, { isShared: false }), 403)
  assert.equal(await statusOf(admin, 'PATCH', id, { isShared: false }), 200)
  assert.equal(await statusOf(owner, 'PATCH', id, { isShared: true }), 404)
  assert.equal(await statusOf(admin, 'DELETE', id), 204)
  assert.equal(await statusOf(admin, 'DELETE', id), 404)
  const ofViewer = await save(viewer, { isShared: true })
  assert.equal(await statusOf(admin, 'DELETE', ofViewer.id), 204)
})

test('what is no query of an address is refused, naming the field', async () => {
  for (const [body, path] of [
    [{ query: 'status=5xx' }, '/query'],
    [{ query: '?a b' }, '/query'],
    [{ query: '?a\n' }, '/query'],
    [{ query: `?${'x'.repeat(8_192)}` }, '/query'],
    [{ name: '' }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ isShared: 'yes' }, '/isShared'],
  ] as const) {
    const answer = await viewer('POST', '/api/SavedViews', { name: 'a view', query: '', ...body })
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.json.errors[0].path, path)
  }
  await save(viewer, { query: `?${'x'.repeat(8_191)}` })
})

test('there are so many shared ones, and so many private ones of each, and no more, also where they are saved at once', async () => {
  const fill = (isShared: boolean, createdBy: string, count: number) =>
    control.database.write(orgId, async (tx) => {
      for (let made = 0; made < count; made++)
        await tx.query(
          `INSERT INTO saved_views (id, org_id, name, query, is_shared, created_by, created_by_email)
           VALUES ($1, $2, 'x', '', $3, $4, '')`,
          [newId(), orgId, isShared, createdBy],
        )
    })
  const saveAtOnce = async (as: Caller, isShared: boolean) =>
    (
      await Promise.all(
        Array.from({ length: 6 }, () => as('POST', '/api/SavedViews', { name: 'x', query: '', isShared })),
      )
    )
      .map(({ status }) => status)
      .sort()
  await control.database.write(orgId, (tx) => tx.query('DELETE FROM saved_views WHERE org_id = $1', [orgId]))
  const { id } = await save(viewer, {})
  const subject = await control.database.read(orgId, (tx) =>
    tx.query<{ created_by: string }>('SELECT created_by FROM saved_views WHERE id = $1', [id]),
  )
  await fill(false, subject[0]?.created_by ?? '', SAVED_VIEWS_MAX - 3)
  assert.deepEqual(await saveAtOnce(viewer, false), [201, 201, 409, 409, 409, 409])
  await save(admin, {})
  await fill(true, 'somebody', SAVED_VIEWS_MAX - 2)
  assert.deepEqual(await saveAtOnce(admin, true), [201, 201, 409, 409, 409, 409])
  assert.equal(await statusOf(viewer, 'PATCH', id, { isShared: true }), 409)
  assert.equal(await statusOf(viewer, 'PATCH', id, { name: 'y' }), 200)
  await save(stranger, {})
})

test('an Idempotency-Key gives nobody what another was answered under it', async () => {
  const body = { name: 'private', query: '?status=5xx' }
  const create = (key: string) =>
    control.call('POST', '/api/SavedViews', { key, body, headers: { 'idempotency-key': '1' } })
  assert.equal((await create(keys.owner)).status, 201)
  assert.equal((await create(keys.viewer)).json.code, 'idempotency_conflict')
  assert.equal((await create(keys.owner)).status, 201)
})
