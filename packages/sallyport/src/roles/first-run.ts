/**
 * The first start on an empty database: an organization, its owner, an API key and a researcher, shown once.
 *
 * The credentials are decided and on the disk before anything is made with them, so that a crash at any point loses none
 * and makes nothing twice: the next start finds them, looks what is there already, makes the rest and goes on.
 */
import { existsSync, rmSync } from 'node:fs'
import {
  type ControlSettings,
  issueFirstCredentials,
  type OpenOperator,
  type OrganizationCredentials,
  openOperator,
} from '@sallyport/control'
import { OperatorError } from '../operator-error.ts'
import { readOwnFile, writePrivateJson } from '../private-file.ts'
import { type FirstRun, firstRunFile } from './first-run-file.ts'

const ORGANIZATION = 'My organization'
const OWNER = 'owner@sallyport.local'
const RESEARCHER = 'researcher@sallyport.local'

/** What is to be made, until it has been. */
const intentFile = (dataDir: string): string => `${firstRunFile({ dataDir })}.begun`

/** Does nothing where it was done before, or there is an organization already. `dataDir` is that of the installation. */
export async function prepareFirstRun(
  dataDir: string,
  settings: ControlSettings,
  urls: Pick<FirstRun, 'controlUrl' | 'gatewayUrl'>,
): Promise<void> {
  const file = firstRunFile({ dataDir })
  const intent = intentFile(dataDir)
  if (!existsSync(file)) {
    const operator = await openOperator(settings)
    try {
      const organization = await makeOrganization(operator, intent)
      if (organization) {
        const researcher = await operator.issueResearcherKey(organization.organizationId, RESEARCHER)
        writePrivateJson(file, { ...urls, ...organization, researcher } satisfies FirstRun)
      }
    } finally {
      await operator.close()
    }
  }
  rmSync(intent, { force: true })
}

/** The first organization, made now or by a start that did not finish; nothing where there is another one. */
async function makeOrganization(
  operator: OpenOperator,
  intent: string,
): Promise<Omit<FirstRun, 'controlUrl' | 'gatewayUrl' | 'researcher'> | undefined> {
  const known = await operator.listOrganizations()
  const begun = existsSync(intent)
  if (!begun && known.length > 0) return undefined
  if (!begun) writePrivateJson(intent, issueFirstCredentials())
  const credentials = readIntent(intent)
  const { organizationId } = credentials
  if (known.some(({ id }) => id === organizationId)) return { email: OWNER, ...credentials }
  // Begun on another database, or one that was replaced since.
  if (known.length > 0) return undefined
  return operator.createOrganization({ name: ORGANIZATION, email: OWNER }, credentials)
}

/** What a start that did not finish has decided. Throws an `OperatorError` where the disk has lost it. */
function readIntent(intent: string): OrganizationCredentials {
  try {
    // Whoever changes the fields of another's gets what they wrote.
    const credentials = JSON.parse(readOwnFile(intent)) as OrganizationCredentials | null
    if (credentials?.organizationId && credentials.password && credentials.apiKey) return credentials
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new OperatorError(
    `${intent}, with the credentials of a first start that did not finish, is damaged: remove it, and where "sallyport organizations list" names an organization already, make a key of it with "sallyport keys create"`,
  )
}
