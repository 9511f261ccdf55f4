const WORDS: Readonly<Record<string, string>> = {
  lfi: 'local file inclusion',
  rfi: 'remote file inclusion',
  xss: 'cross-site scripting',
  sqli: 'SQL injection',
  sql_injection: 'SQL injection',
  nosql_injection: 'NoSQL injection',
  rce: 'remote code execution',
  ssrf: 'server-side request forgery',
  xxe: 'XML external entity',
  ssti: 'template injection',
  php_code_injection: 'PHP code injection',
  js_code_injection: 'JavaScript code injection',
  ldap_injection: 'LDAP injection',
  http_protocol_violation: 'HTTP protocol violation',
}

/** A class of attack, in words. */
export const attackWords = (attackClass: string): string =>
  WORDS[attackClass] ?? attackClass.replaceAll('_', ' ')
