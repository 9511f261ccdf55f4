/** Where both planes send their traces. */
import type { ControlSettings } from '@sallyport/control'
import type { Settings } from './settings.ts'

/** Null where no address is set. */
export const tracesOf = ({
  tracesUrl: url,
  tracesAuthorization,
  tracesPart: part,
}: Pick<Settings, 'tracesUrl' | 'tracesAuthorization' | 'tracesPart'>): ControlSettings['traces'] =>
  url === undefined ? null : { url, authorization: tracesAuthorization ?? null, part }
