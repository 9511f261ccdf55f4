/** Classes of attack that rules name, how grave each is, and which are only signs of a tool. */
import { SEVERITIES, type Severity } from '@sallyport/contract/words'

const SEVERITY_BY_CLASS: Readonly<Record<string, Severity>> = {
  sql_injection: 'critical',
  nosql_injection: 'high',
  command_injection: 'critical',
  php_code_injection: 'critical',
  java_code_injection: 'critical',
  js_code_injection: 'critical',
  code_injection: 'critical',
  template_injection: 'critical',
  exploit_detection: 'critical',
  deserialization: 'critical',
  xxe: 'critical',
  ssrf: 'high',
  lfi: 'high',
  rfi: 'high',
  xss: 'high',
  unrestricted_file_upload: 'high',
  ldap_injection: 'high',
  access_control_bypass: 'high',
  session_fixation: 'medium',
  http_protocol_violation: 'medium',
  sensitive_file: 'medium',
}

/** Classes whose rules know a tool by its fingerprint. Their matches name the tool; they are no attack. */
const SIGNAL_CLASSES = new Set(['attack_tool', 'security_scanner', 'commercial_scanner'])

/** Whether a class is only a sign of a tool. */
export const isSignal = (className: string): boolean => SIGNAL_CLASSES.has(className)

/** Severity of a rule: what it says of itself, otherwise what its class implies. */
export const severityOf = (className: string, own: string | undefined): Severity =>
  SEVERITIES.find((severity) => severity === own) ?? SEVERITY_BY_CLASS[className] ?? 'medium'
