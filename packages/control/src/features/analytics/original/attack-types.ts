/** The types of attack that the original interface names, and the classes of ours that they stand for. */
import { attackWords } from '@sallyport/contract'

const XSS = 'Cross Site Scripting (XSS)'
const SQLI = 'SQL Injection (SQLi)'
const LFI = 'Local File Inclusion (LFI)'
const RCE = 'Remote Code Execution (RCE)'
const PHP = 'PHP Injection'
const RFI = 'Remote File Inclusion (RFI)'

const TYPES: Readonly<Record<string, string>> = {
  xss: XSS,
  sql_injection: SQLI,
  lfi: LFI,
  command_injection: RCE,
  code_injection: RCE,
  java_code_injection: RCE,
  js_code_injection: RCE,
  template_injection: RCE,
  php_code_injection: PHP,
  rfi: RFI,
}

/** The type of a class of attack; a class that no type stands for is one by itself, in words. */
export const attackTypeOf = (attackClass: string): string =>
  Object.hasOwn(TYPES, attackClass) ? (TYPES[attackClass] ?? '') : attackWords(attackClass)

/** Sums what was counted by class up by type, the most first. */
export function byAttackType<Counted, Sum>(
  counted: readonly (Counted & { readonly class: string })[],
  sum: (type: string, ofType: readonly Counted[]) => Sum & { readonly total: number },
): Sum[] {
  return [...Map.groupBy(counted, (one) => attackTypeOf(one.class))]
    .map(([type, ofType]) => sum(type, ofType))
    .toSorted((left, right) => right.total - left.total)
}
