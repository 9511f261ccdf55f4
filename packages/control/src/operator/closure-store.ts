/** SQL of what operators closed and opened at gateways. */
import type { Transaction } from '../database/database.ts'
import { hasRows } from '../database/rows.ts'

/** False where the act was recorded before. */
export const insertClosureAct = (tx: Transaction, id: string, gatewayId: string): Promise<boolean> =>
  hasRows(
    tx,
    'INSERT INTO closure_acts (id, gateway_id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING 1',
    [id, gatewayId],
  )
