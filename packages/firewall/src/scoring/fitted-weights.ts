/** Written by `bench/firewall-weights/fit.ts`; not edited by hand. Rules that are not named decide alone. */
import type { Weights } from './weights.ts'

export const FITTED_WEIGHTS: Weights = {
  version: '72e21aabda80',
  rules: {
    'crs-921-110': 0.9,
    'crs-930-120': 1.4,
    'crs-932-160': 2.2,
    'crs-941-110': 5.7,
    'crs-941-120': 7,
    'sp-node-statement': 6.1,
    'sp-os-file-in-text': 1.4,
    'sp-php-tags': 5.3,
    'sp-prototype-pollution': 6.2,
    'sp-rce-mail-protocol': 2.8,
    'sp-template': 5.6,
    'sp-traversal': 3.3,
    'sp-xss-script-tag': 5.8,
    'strc-930-101': 0,
    'strc-930-111': 0,
    'strc-932-120': 7,
    'strc-933-210': 4.8,
  },
  signs: {
    command_injection: {
      substitution: 0.1,
      'value begins with separator': 5,
    },
    java_code_injection: {
      substitution: 1.2,
    },
    sql_injection: {
      'bracket before operator': 0.1,
      'comment to the end': 0.4,
      'comparison of constants': 0.2,
      'keyword sequence': 0.3,
      'quote before operator': 0.2,
    },
    xss: {
      'value begins with markup': 1.5,
    },
  },
}
