/** Classes of attack in words. A class that is not here reads as its name does: `command_injection` as command injection. */
const WORDS: Readonly<Record<string, string>> = {
  lfi: 'Local file inclusion',
  rfi: 'Remote file inclusion',
  xss: 'Cross-site scripting',
  sqli: 'SQL injection',
  sql_injection: 'SQL injection',
  nosql_injection: 'NoSQL injection',
  rce: 'Remote code execution',
  ssrf: 'Server-side request forgery',
  xxe: 'XML external entity',
  ssti: 'Template injection',
  php_code_injection: 'PHP code injection',
  js_code_injection: 'JavaScript code injection',
  ldap_injection: 'LDAP injection',
  definition: 'Not as the API is defined',
  http_protocol_violation: 'HTTP protocol violation',
}

/** A class of attack in words. */
export const attackWords = (attackClass: string): string =>
  WORDS[attackClass] ?? sentence(attackClass.replaceAll('_', ' '))

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
