/**
 * Our classes of attack by the names that others have for them: the OWASP API Security Top 10 of 2023, the tests of the OWASP Web
 * Security Testing Guide (4.2), and the Common Weakness Enumeration.
 *
 * The list of 2023 has no category for injection, so those classes name none of it: a name that does not fit would say that
 * something of the list was tested which was not.
 */
import { keysOf } from '../keys-of.ts'

/** What others call a class of attack. */
export interface AttackNames {
  /** Categories of the OWASP API Security Top 10, 2023, such as `API7:2023`. */
  readonly owaspApi: readonly string[]
  /** Tests of the Web Security Testing Guide, such as `WSTG-INPV-05`. */
  readonly wstg: readonly string[]
  /** Numbers of weaknesses, such as 89. */
  readonly cwe: readonly number[]
}

const names = (wstg: string, cwe: readonly number[], owaspApi = ''): AttackNames => ({
  owaspApi: owaspApi === '' ? [] : [`${owaspApi}:2023`],
  wstg: wstg === '' ? [] : wstg.split(' ').map((test) => `WSTG-${test}`),
  cwe,
})

/** The classes that rules of ours name, without those that are only signs of a tool; injection first. */
export const ATTACK_CLASSES = {
  sql_injection: names('INPV-05', [89]),
  nosql_injection: names('INPV-05', [943]),
  command_injection: names('INPV-12', [78]),
  code_injection: names('INPV-08 INPV-11', [94, 97]),
  php_code_injection: names('INPV-11', [94]),
  java_code_injection: names('INPV-11', [94, 917]),
  js_code_injection: names('INPV-11', [94]),
  template_injection: names('INPV-18', [1336]),
  ldap_injection: names('INPV-06', [90]),
  xxe: names('INPV-07', [611]),
  deserialization: names('', [502]),
  xss: names('INPV-01 INPV-02', [79]),
  lfi: names('ATHZ-01 INPV-11', [22, 98]),
  rfi: names('INPV-11', [98]),
  ssrf: names('INPV-19', [918], 'API7'),
  unrestricted_file_upload: names('BUSL-08 BUSL-09', [434]),
  access_control_bypass: names('ATHZ-02', [285], 'API5'),
  session_fixation: names('SESS-03', [384], 'API2'),
  sensitive_file: names('CONF-04', [538], 'API8'),
  http_protocol_violation: names('INPV-15', [444], 'API8'),
  exploit_detection: names('', [1395]),
} as const satisfies Readonly<Record<string, AttackNames>>

export type AttackClass = keyof typeof ATTACK_CLASSES

/** The classes of the table, in its order. */
export const ATTACK_CLASS_NAMES: readonly AttackClass[] = keysOf(ATTACK_CLASSES)

const NO_NAMES: AttackNames = { owaspApi: [], wstg: [], cwe: [] }

/** What others call a class; nothing for one that only a rule set of somebody's own names. */
export const attackNames = (attackClass: string): AttackNames =>
  ATTACK_CLASS_NAMES.some((known) => known === attackClass)
    ? ATTACK_CLASSES[attackClass as AttackClass]
    : NO_NAMES

/** What reading and changing other people's objects is called, which the crossing matrix is about. */
export const OBJECT_ACCESS_NAMES: AttackNames = names('ATHZ-04', [639], 'API1')
