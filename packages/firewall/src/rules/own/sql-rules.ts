/** SQL and NoSQL injection. */
import type { Rule } from '../rule-format.ts'
import { condition, NAMES, ownRule, PARAMETERS, REFLECTED, SEGMENTS, VALUES } from './own-rule.ts'

const sql = (id: string, name: string, regex: string, where = REFLECTED): Rule =>
  ownRule(`sqli-${id}`, 'sql_injection', name, [condition(where, { regex })])

/** An operand that prose does not have: a number, or something in quotes. */
const LITERAL = String.raw`(?:\d{1,18}|0x[0-9a-f]+|'[^']*'|"[^"]*"|null|true|false)`
const COMPARISON = String.raw`(?:=|<=>|<>|!=|<=?|>=?|\blike\b|\bregexp\b|\brlike\b|\bglob\b|\bin\s*\()`
const LOGIC = String.raw`(?:\bor\b|\band\b|\bxor\b|\|\||&&)`

export const SQL_RULES: readonly Rule[] = [
  sql(
    'numeric-tautology',
    'Comparison of two literals after a logical operator',
    `${LOGIC}\\s*(?:not\\s*)?[('"\`\\s]*${LITERAL}[)'"\`\\s]*${COMPARISON}[('"\`\\s]*(?:\\d|'|"|\\()`,
  ),
  sql(
    'quote-then-logic',
    'Quote, then a logical operator and a comparison',
    String.raw`^[^'\"\x60]{0,200}['"\x60]\s*\)*\s*${LOGIC}\s*(?:not\s+)?[('"\x60\s]*[\w.$]+[)'"\x60\s]*(?:=|<|>|!=|~|\blike\b|\bis\s+(?:not\s+)?null\b|\bin\s*\(|\bbetween\b|\bregexp\b)`,
  ),
  sql(
    'quote-logic-literal',
    'Quote, then a logical operator, a literal and an operator or a comment',
    String.raw`^[^'\"\x60]{0,200}['"\x60]\s*\)*\s*(?:(?:or|and|xor)[\s('\"]|\|\||&&)\s*\(*\s*${LITERAL}\s*\)*\s*(?:[=<>!~*/%^|&;]|--|#|$)`,
  ),
  sql(
    'logic-then-comparison',
    'A value that begins with a logical operator and a comparison',
    String.raw`^\W*(?:x?or|and)\s+(?:not\s+)?['"\x60(]*(?:[\w.$]+['"\x60)]*\s*(?:[=<>]|!=|r?like\s*['"])|\d{1,18}['"\x60)]*\s*(?:--|/\*|#\s*$))`,
  ),
  sql(
    'where-constants',
    'A condition that compares two numbers, or two letters',
    String.raw`\bwhere\s*\(*\s*\d+\s*\)*\s*(?:=|<>|!=|<|>|like\b)\s*\(*\s*\d|\b(?:x?or|and)\s+['"]?[a-z]['"]?\s*=\s*['"]?[a-z]['"]?\s*(?:--|#|$)`,
  ),
  sql(
    'remainder-operand',
    'A remainder by a subquery or a hexadecimal number, beside a word of SQL',
    String.raw`\b(?:select|r?like|and|x?or|where|elt|sleep|union|iif|between|in)\b[^\n]{0,40}%\s*(?:0x[0-9a-f]{1,8}\b|\(\s*select\b)|%\s*(?:0x[0-9a-f]{1,8}\b|\(\s*select\b)[^\n]{0,40}\b(?:select|r?like|and|x?or|where|elt|sleep|union|iif)\b`,
    VALUES,
  ),
  sql(
    'server-probe',
    'Version, user or name of a database in a condition',
    String.raw`\b(?:and|x?or|select|where|having)\s+(?:\w+\s*\(\s*)?(?:version|user|database|current_user|system_user|session_user)\s*\(\s*\)\s*(?:[,)=<>]|--|#|$)`,
  ),
  sql(
    'insert-values',
    'A statement that adds a row or an account',
    String.raw`\binsert\s+into\s+[\w.]+\s*\([^)]*\)\s*values\s*\(|\bcreate\s+user\s+\S+\s+identified\s+by\b`,
  ),
  sql(
    'quote-logic-function',
    'Quote, then a logical operator and the call of a function, compared or followed by the end of the statement',
    String.raw`^[^'\"\x60]{0,200}['"\x60]\s*\)*\s*${LOGIC}\s*(?:not\s+)?\(*\s*\w{1,40}\s*\([^()]*\)\s*\)*\s*(?:;|--|#|/\*|[=<>]|!=)`,
  ),
  // Nothing but an injection begins with one word and a quote, goes on in SQL, and ends where a comment begins.
  sql(
    'quote-clause-comment',
    'A word, a quote, a clause, and a comment at the end',
    String.raw`^[^\s'"\x60]{0,64}['"\x60]\s*\)*\s*(?:x?or|and|not|collate|notnull|isnull|i?like|similar|match|having|limit|order|group|offset|except|intersect|returning)\b[^\n]*--[\s+-]*$`,
  ),
  sql(
    'union-select',
    'UNION with SELECT or VALUES',
    String.raw`\bunion\b[\s(/*+!\d]*(?:(?:all|distinct)[\s(/*+!\d]+)?(?:select|values\s*\(|table\s)\b[\s(]*(?:[\d*@'"\x60]|null|char|concat|\w+\s*(?:,|\bfrom\b|\())`,
  ),
  sql(
    'nested-select',
    'A SELECT in parentheses as an operand',
    String.raw`(?:[=<>,(+*/|%&-]|\b(?:or|and|in|exists|from|when|then|limit)\b)\s*\(+\s*select\b\s*(?:[\w.*@(\x60'"]+)|^\W*\(\s*select\s+(?:\w+\s*\(|\*|[\w.]+\s*,)[^\n]*\bfrom\s+\w`,
  ),
  sql(
    'stacked',
    'A second statement after a semicolon',
    String.raw`(?:['"\x60)\d]|^)\s*;\s*(?:select\s+[\w*@('"]|insert\s+into\s+\w|update\s+\w+\s+set\s|delete\s+from\s+\w|drop\s+(?:table|database|view|user|schema|index|procedure|function)\b|create\s+(?:table|user|database|function|procedure|or\s+replace)\b|alter\s+(?:table|user|database|login)\b|truncate\s+(?:table\s+)?\w|exec(?:ute)?\s*[(\w]|declare\s+@|waitfor\s+delay|shutdown\b|grant\s+\w+|copy\s+\w+\s+(?:from|to)\b|load\s+data\b|begin\s+\w|print\s*['"(]|set\s+@\w|merge\s+using\b|handler\s+\w+\s+open\b|replace\s+into\b|analyze\b)`,
  ),
  sql(
    'comment-tail',
    'Quote or closing parenthesis, then a comment to the end',
    String.raw`^[^'"\s\x60]*(?:['"\x60][\])]*|\))\s*(?:;\s*)?(?:--(?:[\s+-]*\w{0,16}\s*$)|#\s*$)|^[^'"\s\x60]*['"\x60][\])]*\s*(?:;\s*)?/\*`,
  ),
  sql(
    'delay',
    'Functions and statements that wait',
    String.raw`(?:\b(?:pg_sleep|dbms_lock\.sleep|dbms_pipe\.receive_message|dbms_session\.sleep|randomblob)\s*\(|\bbenchmark\s*\([^\n,]+,[^\n)]+\)|\bwaitfor[\s+/*]+(?:delay|time)[\s+/*]*['"(]|(?:['"\x60)\d=+|&,(]|\b(?:select|and|or|xor|if|when|then|union|r?like|regexp))[\s(]*\bsleep\s*\(\s*[\d(_]|\b(?:select|union|xor)[\s(]+sleep\s*\(|\bgenerate_series\s*\(\s*\d+\s*,\s*\d{5,})`,
  ),
  sql(
    'function-probe',
    'A value that is an SQL function and its parenthesis',
    String.raw`^\W{0,6}(?:abs|ascii|benchmark|bin|cast|ceil|char(?:acter)?(?:_length)?|chr|coalesce|concat(?:_ws)?|conv|convert|count|current_(?:date|time|timestamp|user)|database|date(?:_format|diff)?|db_name|elt|encode|encrypt|exp|export_set|extractvalue|field|find_in_set|floor|format|from_(?:base64|days)|greatest|group_concat|hex|if(?:null)?|inet_(?:aton|ntoa)|insert|instr|isnull|json_\w+|last_insert_id|least|length|ln|load_file|locate|log(?:10|2)?|lower|lpad|ltrim|make_set|max|md5|mid|min|mod|nullif|oct|ord|password|pi|position|power|quarter|rand|repeat|replace|reverse|right|round|row_count|rpad|rtrim|schema|session_user|sha[12]?|sign|sin|sleep|soundex|space|sqrt|st_\w+|strcmp|substr(?:ing)?(?:_index)?|sum|sysdate|system_user|tan|to_(?:base64|char|days)|trim|truncate|unhex|unix_timestamp|upper|user|uuid|values|variance|version|week|xmltype|year)\s*=?\(\s*(?:[\w'",.@*]{0,40}\s*\)?)?\s*$`,
    // Pages of documentation are named after functions.
    PARAMETERS,
  ),
  sql(
    'clause-start',
    'A value that begins within a statement',
    String.raw`^\W*(?:not\s+)?(?:in\s*\(\s*['"]?\w+['"]?\s*,\s*['"\d]|(?:is|like)\s+(?:not\s+)?null\W*$|r?like\s*['"]|regexp\s*['"]|between\s+['"\d]\S*\s+and\s+['"\d]|into\s+(?:out|dump)file\b)|^[^\w\s]\s*create\s+(?:table|user|database|view|procedure|function)\s+\w|[)'"\x60;\d]\s*as\s+[\w\x60"']+\s+from\b|\bfrom\s+\x60\w+\x60(?:\.\x60|\s+(?:order|where|limit|group)\b)|\bunion\s+(?:all\s+|distinct\s+)?select\s*$|^\W{0,3}['"]\W{0,3}select\s+\w`,
  ),
  sql(
    'quote-to-comment',
    'A word, a quote, an operator, and a comment at the end',
    String.raw`^\w{0,32}['"](?:\s*(?:[<>=!+*/%^|&-]|%2b)|\s*(?:is|sounds|like|not|in|div|mod|between|rlike|regexp|glob)\b)[^\n'"]*--\s*$`,
  ),
  sql(
    'schema',
    'Catalogues and variables of databases',
    String.raw`\b(?:information_schema|pg_catalog|pg_shadow|pg_user|pg_authid|sqlite_(?:master|schema|temp_master)|mysql\.(?:user|db|innodb_\w+)|master\.\.|msysaccessobjects|sys\.(?:user_objects|schemas|tables|columns|objects|databases)|syscolumns|sysobjects|all_tab_columns|user_tab_columns|all_users|sysibm\.\w+|syscat\.\w+|v\$version|tempdb\.\.)\b|@@(?:version|hostname|datadir|basedir|servername|global\.|innodb)`,
  ),
  sql(
    'server-functions',
    'Functions that read files, run programs or tell secrets of the server',
    String.raw`\b(?:xp_(?:cmdshell|dirtree|regread|regwrite|regdelete\w*|fileexist|servicecontrol|enumdsn|loginconfig|ntsec\w*|makecab|availablemedia|terminate\w*)|sp_(?:oacreate|oamethod|executesql|makewebtask|password|addextendedproc|prepare|execute|sqlexec|replwritetovarbin)|load_file|load_extension|lo_(?:import|export|get)|pg_(?:read_file|ls_dir|read_binary_file|stat_file)|utl_(?:http|inaddr|smtp|file)|dbms_(?:xmlgen|ldap|java|xmlquery|scheduler)|extractvalue|updatexml|xmltype|sys_eval|sys_exec|ctxsys|httpuritype|database_to_xml|query_to_xml|openrowset|opendatasource|master\.dbo|nvarchar\s*\(|group_concat\s*\(|make_set\s*\(|concat_ws\s*\(|concat\s*\(\s*0x[0-9a-f]|select[\s(]+0x[0-9a-f]{4}|char\s*\(\s*\d{1,3}\s*[,)]|chr\s*\(\s*\d{1,3}\s*\)\s*(?:\|\||%7c|\+)|unhex\s*\(|json_keys\s*\(|regexp_substring\s*\(|geometrycollection\s*\(|multipoint\s*\(|linestring\s*\(|st_latfromgeohash\s*\(|name_const\s*\(|row_count\s*\(|procedure\s+analyse)\b?`,
  ),
  sql(
    'into-outfile',
    'Query result into a file',
    String.raw`\binto\s+(?:dump|out)file\s*['"(]|\bload\s+data\s+(?:local\s+)?infile\b`,
  ),
  sql(
    'order-by-probe',
    'Probing of columns by ORDER BY, GROUP BY or HAVING',
    String.raw`(?:['"\x60)]|^\d+)\s*(?:order|group)\s+by\s+\d+\s*(?:,\s*\d+\s*)*(?:--|#|;|/\*|$|desc\b|asc\b)|^\W*(?:order|group)\s+by\s+\d+\s*(?:--|#|;)|\bhaving\s+\d+\s*[=<>]`,
  ),
  sql(
    'case-when',
    'Conditional expression as an oracle',
    String.raw`(?:['\"\x60(=,|&]|\b(?:and|or|select|by|limit))\s*\(?\s*case\s+(?:\w+\s+)?when\b[^;]+\bthen\b|\bi?if\s*\(\s*(?:\(?\s*select|\d+\s*[=<>]|ascii|substr|length|ord\s*\(|mid\s*\()|\b(?:ascii|ord|length|substr(?:ing)?|mid|left|right|bin)\s*\(\s*\(?\s*select\b`,
  ),
  sql(
    'cast-probe',
    'Casts that make a database tell values in errors',
    String.raw`(?:['\")]\s*|^\w{1,32}|\b(?:current_user|session_user|current_database|version|user)\s*(?:\(\s*\))?)::(?:(?:big|small)?int(?:eger|2|4|8)?|text|bool(?:ean)?|jsonb?|numeric|double\s+precision|real|float\d?|regclass|varchar)\b|\bconvert\s*\(\s*int\s*,|\bcast\s*\([^)]+\bas\s+(?:int|signed|numeric|char|nvarchar|varchar)\b[^)]{0,20}\)\s*(?:[=<>)+|-]|\bas\b|--)`,
  ),
  sql(
    'json-operators',
    'JSON operators after a logical operator',
    String.raw`\b(?:or|and|xor|not|=)\b?\s*\(?'[{\[(]?[^;\n]*'?\s*(?:::jsonb?\s*)?(?:@>|<@|\?\||\?&|#>>?|->>?|@\?|@@)|\b(?:or|and|xor)\s+json_(?:array|contains|depth|extract|keys|length|overlaps|search|type|valid|value)\w*\s*\(`,
  ),
  // A comment with words in it, behind a blank, holds nothing apart.
  sql(
    'inline-comment-split',
    'Keywords held apart by comments',
    String.raw`\b(?:union|select|from|where|and|or|insert|update|drop|sleep|benchmark)(?:\s*/\*\*/|/\*[^*]*\*/)\s*[\w('"@]|/\*!\d{0,6}\s*(?:union|select|and|or|from|where|sleep)\b`,
    VALUES,
  ),
  sql(
    'escape-then-sql',
    'Quote, then a clause that goes on with the statement',
    String.raw`^[^'\"\x60]{0,200}['"\x60]\s*\)*\s*(?:union\s+(?:all\s+|distinct\s+)?(?:select|values)\b|having\s+\S+\s*[=<>]|group\s+by\b|order\s+by\b|limit\s+\d|procedure\s+analyse|into\s+(?:out|dump)file|rlike\s*['\"(]|div\b\s*\(?\d|mod\b\s*\(?\d|is\s+(?:not\s+)?(?:null|true|false|\w+\s*--)|not\s+(?:like|in|between|glob)\b\s*\S+\s*--|like\s*['"(%]|between\s+\S+\s+and\b|in\s*\(\s*(?:select|['"\d])|regexp\s*['"(^]|glob\s*['"(*])`,
  ),
  sql(
    'drop-truncate',
    'Destructive statement with a comment or a terminator',
    String.raw`\b(?:drop|truncate)\s*(?:/\*[^*]*\*/)?\s*(?:table|database|schema|view|user)\s+(?:if\s+exists\s+)?[\w.\x60"\[\]]+\s*(?:;|--|#|/\*|cascade\b)|^\W*(?:drop|truncate)\s+(?:table|database)\s+\w+\s*;?$|\bdrop\s+\w+\s*;\s*--|\bdelete\s+from\s+\w+\s*(?:;\s*(?:--|$)|where\s+\d)`,
    VALUES,
  ),
  // MySQL takes `1.e` for a number and goes on with what follows, where tokenizers see a name.
  sql(
    'empty-exponent',
    'A number with an exponent that is empty, before a parenthesis, a name or a clause',
    String.raw`\b\d+\.e(?:\s*\(|\.[a-z_]\w*|\s+(?:from|union|where|and|or)\b)`,
    VALUES,
  ),
  ownRule(
    'sqli-libinjection',
    'sql_injection',
    'Tokens that make up SQL, in a short value that has its punctuation',
    [
      { operator: 'is_sqli', parameters: { inputs: VALUES } },
      condition(VALUES, { regex: String.raw`^[^\n]{0,250}$` }),
      // Quotes of a literal after `=` or before a closing brace are those of query languages that are not SQL.
      condition(VALUES, {
        regex: String.raw`(?:^|[^\s=~{,(\[:])\s*['"]\s*(?:[^\s},\]:/]|/[^a-z]|$)|\s['"]\s*(?:[^\w\s},\]:/]|/[^a-z]|$)|\x60\s*[=<>]|--|/\*|\|\||\d\s*=`,
      }),
    ],
    { sameValue: true },
  ),
  ownRule('nosqli-operator-name', 'nosql_injection', 'MongoDB operator as a name', [
    condition(NAMES, {
      regex: String.raw`(?:^|[\[.])\$(?:eq|ne|n?in|[gl]te?|not|n?or|and|regex|where|expr|exists|type|mod|text|all|elemmatch|size|jsonschema|function|accumulator|lookup|unionwith)\]?(?:$|[\[.\]])`,
    }),
  ]),
  ownRule('nosqli-operator-value', 'nosql_injection', 'MongoDB operator or server-side script in a value', [
    condition([...VALUES, ...SEGMENTS], {
      regex: String.raw`[{\[(,]\s*['"]?\$(?:eq|ne|n?in|[gl]te?|not|n?or|and|regex|where|expr|exists|elemmatch|function)['"]?\s*(?:[:\]]|\s)|['"]\s*(?:\|\||&&|;)\s*(?:this\.\w+|sleep\s*\(|return\b|db\.\w+\.)|\bdb\.(?:\w+\.)?(?:find|insert\w*|drop\w*|remove|eval|getcollection\w*|mapreduce|copydatabase)\s*\(|['\"]\s*;\s*return\s+(?:true|1)\b`,
    }),
  ]),
  ownRule('ldapi-filter', 'ldap_injection', 'Filter syntax that breaks out of a value', [
    condition(REFLECTED, {
      regex: String.raw`\*?\)\s*\(\s*[|&!]\s*(?:\(|$)|\)\s*\(\s*(?:objectclass|uid|cn|sn|mail|userpassword|samaccountname|memberof)\s*[~<>]?=|^\*\)\s*\(|^\*[|&]$|\(\s*[|&]\s*\(\s*\w+\s*[~<>]?=[^)]*\)\s*\(|\(\s*[|&]\s*\(\s*objectclass\s*=`,
    }),
  ]),
  ownRule(
    'orm-lookup-name',
    'sql_injection',
    'Lookup of an object mapper through relations or on a secret',
    [
      condition(NAMES, {
        regex: String.raw`^(?:[a-z]\w*?__){2,}[a-z]\w+$|(?:passw|secret|token|hash|is_admin|is_staff|balance)\w*__(?:i?startswith|i?endswith|i?contains|i?regex|isnull|i?exact|[gl]te?|range|in)$`,
      }),
    ],
    { severity: 'medium' },
  ),
]
