/** Opens the database for the operator's acts, beside a control plane that may be running. */
import { openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { createCipher } from '../secrets.ts'
import type { ControlSettings } from '../settings.ts'
import { createOperator, type Operator } from './operator.ts'

export interface OpenOperator extends Operator {
  close(): Promise<void>
}

/** Migrates the database where that is due. Throws where it cannot be reached. */
export async function openOperator(
  settings: Pick<ControlSettings, 'databaseUrl' | 'migrationDatabaseUrl' | 'secretKey'>,
): Promise<OpenOperator> {
  await migrate(settings.migrationDatabaseUrl)
  const database = openDatabase({
    url: settings.databaseUrl,
    cipher: createCipher(settings.secretKey),
    connectionsMax: 1,
  })
  return { ...createOperator(database), close: () => database.close() }
}
