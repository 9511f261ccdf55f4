/** The first start on an empty database: an organization, its owner, an API key and a researcher, shown once. */
import { type ControlSettings, openOperator } from '@sallyport/control'
import { type FirstRun, firstRunFile, writeFirstRun } from './first-run-file.ts'

const ORGANIZATION = 'My organization'
const OWNER = 'owner@sallyport.local'
const RESEARCHER = 'researcher@sallyport.local'

/** Does nothing where there is an organization already. `dataDir` is that of the installation. */
export async function prepareFirstRun(
  dataDir: string,
  settings: ControlSettings,
  urls: Pick<FirstRun, 'controlUrl' | 'gatewayUrl'>,
): Promise<void> {
  const operator = await openOperator(settings)
  try {
    if ((await operator.listOrganizations()).length > 0) return
    const organization = await operator.createOrganization({ name: ORGANIZATION, email: OWNER })
    const researcher = await operator.createResearcher(organization.organizationId, RESEARCHER)
    writeFirstRun(firstRunFile({ dataDir }), { ...urls, ...organization, researcher })
  } finally {
    await operator.close()
  }
}
