import { SEVERITIES } from '@sallyport/contract'

/** The filter that leaves requests which a firewall rule matched. */
export const MATCHED = { severity: [...SEVERITIES] }
