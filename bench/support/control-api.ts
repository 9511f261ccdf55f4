/** A control plane in a process of its own, on the settings given as JSON. Prints its URL when it listens. */
import { startControl } from '@sallyport/control'

const settings = JSON.parse(process.argv[2] ?? '{}')
const control = await startControl({ ...settings, secretKey: Buffer.from(settings.secretKey, 'base64') })
console.log(control.url)
