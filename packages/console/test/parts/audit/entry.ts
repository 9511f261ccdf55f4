import type { AuditEntry } from '@sallyport/contract'

/** An entry of the audit log that is ordinary but for what is given. */
export const entry = (action: string, given: Partial<AuditEntry> = {}): AuditEntry => ({
  sequence: 1,
  time: '2026-11-23T12:00:00.000Z',
  actor: { kind: 'user', id: 'u', email: 'owner@example.com' },
  action,
  target: { kind: 'site', id: 'site-1' },
  before: null,
  after: null,
  requestId: 'r',
  hash: '',
  ...given,
})
