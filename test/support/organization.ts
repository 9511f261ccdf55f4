/** Further organizations of an installation, made by the operator's command. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment } from './environment.ts'
import type { Installation } from './installation.ts'

const MAIN = resolve(import.meta.dirname, '../../packages/sallyport/src/main.ts')

export interface OtherOrganization {
  readonly organizationId: string
  readonly email: string
  readonly apiKey: string
}

/** Makes an organization beside the one of the first run. */
export async function createOrganization(
  installation: Pick<Installation, 'dataDir'>,
  name: string,
): Promise<OtherOrganization> {
  const command = ['organizations', 'create', '--name', name, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...command], {
    env: { ...bareEnvironment, SALLYPORT_DATA_DIR: installation.dataDir },
  })
  return JSON.parse(stdout)
}
