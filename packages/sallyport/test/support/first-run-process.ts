/** Makes the first run in a process of its own, which a test may kill. The settings are given as JSON. */
import { prepareFirstRun } from '../../src/roles/first-run.ts'

const { dataDir, settings, urls } = JSON.parse(process.argv[2] ?? '{}')
console.log('begins')
await prepareFirstRun(dataDir, { ...settings, secretKey: Buffer.from(settings.secretKey, 'base64') }, urls)
