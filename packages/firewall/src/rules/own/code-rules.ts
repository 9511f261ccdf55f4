/** Code of Java, JavaScript, Python, Ruby and Perl; templates; serialized objects. */
import type { Rule } from '../rule-format.ts'
import { ANYWHERE, condition, NAMES, ownRule, REFLECTED, VALUES } from './own-rule.ts'

const code = (id: string, type: string, name: string, regex: string, where = REFLECTED): Rule =>
  ownRule(id, type, name, [condition(where, { regex })])

/**
 * Names that only appear where Java objects are being made to run something: the classes, and the gadgets of public
 * deserialization chains.
 */
const JAVA_GADGETS = [
  'processbuilder',
  'clonetransformer',
  'forclosure',
  'instantiatefactory',
  'instantiatetransformer',
  'invokertransformer',
  'prototypeclonefactory',
  'prototypeserializationfactory',
  'whileclosure',
  'chainedtransformer',
  'constanttransformer',
  'beancomparator',
  'templatesimpl',
  'badattributevalueexpexception',
  'annotationinvocationhandler',
  'jdbcrowsetimpl',
]
const JAVA_WORDS = ['runtime', 'processbuilder', 'getproperty', 'filewriter', 'xmldecoder']

/**
 * How a word shows inside of base64, wherever it starts in the text that was encoded: the characters that depend on
 * its bytes alone, for each of the three alignments.
 */
const base64Forms = (word: string): string[] =>
  [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(word, 'latin1')])
    const text = bytes.toString('base64').replace(/=+$/, '')
    const start = [0, 2, 3][shift] ?? 0
    const tail = bytes.length % 3 === 0 ? text.length : text.length - 1
    return text.slice(start, tail)
  })

const spellings = (word: string): string[] => [word, ...(JAVA_SPELLINGS[word] ? [JAVA_SPELLINGS[word]] : [])]
const JAVA_SPELLINGS: Readonly<Record<string, string>> = {
  runtime: 'Runtime',
  processbuilder: 'ProcessBuilder',
  clonetransformer: 'CloneTransformer',
  forclosure: 'ForClosure',
  instantiatefactory: 'InstantiateFactory',
  instantiatetransformer: 'InstantiateTransformer',
  invokertransformer: 'InvokerTransformer',
  prototypeclonefactory: 'PrototypeCloneFactory',
  prototypeserializationfactory: 'PrototypeSerializationFactory',
  whileclosure: 'WhileClosure',
  chainedtransformer: 'ChainedTransformer',
  templatesimpl: 'TemplatesImpl',
  xmldecoder: 'XMLDecoder',
  filewriter: 'FileWriter',
  getproperty: 'getProperty',
}

const JAVA_PACKAGES = [
  'com\\.opensymphony\\.xwork2',
  'com\\.sun\\.org\\.apache',
  'com\\.sun\\.rowset',
  'java\\.io\\.(?:bufferedinputstream|bufferedreader|bytearrayinputstream|bytearrayoutputstream|chararrayreader|datainputstream|file|fileoutputstream|filepermission|filewriter|filterinputstream|filteroutputstream|filterreader|inputstream|inputstreamreader|linenumberreader|objectoutputstream|outputstream|pipedoutputstream|pipedreader|printstream|pushbackinputstream|reader|stringreader)',
  'java\\.lang\\.(?:class|integer|number|object|process|processbuilder|reflect|runtime|string|stringbuilder|system|thread|character|classloader)',
  'java\\.(?:net\\.url\\w*|nio\\.file|beans\\.xmldecode|sql\\.drivermanager)',
  'javax\\.(?:script\\.scriptenginemanager|naming\\.initialcontext|servlet|el)',
  'org\\.apache\\.(?:commons\\.(?:collections|beanutils|io|exec)|struts2?|omg|log4j|tomcat|xalan)',
  'org\\.(?:codehaus\\.groovy|springframework\\.(?:context|beans|core|util|expression)|mozilla\\.javascript|omg\\.corba|python\\.core|yaml\\.snakeyaml)',
  'sun\\.(?:misc|reflect|rmi)',
  'groovy\\.(?:util|lang)',
  'bsh\\.interpreter',
]

export const CODE_RULES: readonly Rule[] = [
  code(
    'java-classes',
    'java_code_injection',
    'Names of Java classes that run code or reach the system',
    String.raw`\bjava\.lang\.(?:runtime|processbuilder|processimpl|reflect\.\w|classloader)|\b(?:java|processbuilder)\.\S*(?:runtime|processbuilder)|\bruntime\.(?:getruntime|exec)\b|\bgetruntime\s*\(|\.getclass\s*\(\s*\)\s*\.|\bclass\.forname\s*\(`,
    ANYWHERE,
  ),
  ownRule(
    'java-packages',
    'java_code_injection',
    'A class of a Java package that reaches the system, in a line that says little else',
    [
      condition(ANYWHERE, { regex: String.raw`\b(?:${JAVA_PACKAGES.join('|')})\b` }),
      condition(ANYWHERE, { regex: String.raw`^[^\n]{0,240}$` }),
    ],
    { sameValue: true },
  ),
  code(
    'java-gadgets',
    'java_code_injection',
    'Classes of known Java deserialization chains',
    String.raw`(?:${JAVA_GADGETS.slice(1).join('|')})|(?:runtime|processbuilder)\.\S*(?:getproperty|filewriter|xmldecoder|exec)`,
    ANYWHERE,
  ),
  ownRule('java-gadgets-base64', 'java_code_injection', 'Names of such gadgets in base64', [
    condition(ANYWHERE, { phrases: JAVA_GADGETS.slice(1).flatMap(spellings).flatMap(base64Forms) }),
  ]),
  // Runtimes and properties are in base64 of all kinds; by itself such a word is asked for by nobody else.
  ownRule(
    'java-word-base64',
    'java_code_injection',
    'A class of Java that runs or reads something, in base64 and alone',
    [
      condition(ANYWHERE, { phrases: JAVA_WORDS.flatMap(spellings).flatMap(base64Forms) }),
      condition(ANYWHERE, { regex: String.raw`^[\w+/=-]{1,40}$` }),
    ],
    { sameValue: true },
  ),
  ownRule('java-serialized', 'deserialization', 'A serialized Java object', [
    condition(ANYWHERE, {
      regex: String.raw`\x{ac}\x{ed}\x00\x05|(?:^|[^A-Za-z0-9+/])(?:rO0ABQ|rO0ABX|KztAAU|Cs7QAF|H4sIAAAAAAAA\w{4,}rO0)`,
      caseSensitive: true,
    }),
  ]),
  ownRule('serialized', 'deserialization', 'A serialized object of PHP, Python, .NET or Ruby', [
    condition(ANYWHERE, {
      regex: String.raw`(?:^|[;{"'=\s])[OC]:\+?\d{1,4}:["\\]{1,3}[\w\\]+["\\]{1,3}:\d{1,4}:\{|\ba:\d{1,4}:\{[is]:\d|\bc(?:os|posix|subprocess|__builtin__|builtins)\n(?:system|popen|Popen|exec|eval|call)\n|\bAAEAAAD/{3,}|\bTzo\d|\bTypeConfuseDelegate\b|ObjectDataProvider\b|"\$type"\s*:\s*"System\.|!!python/object|!ruby/object|!!javax\.script`,
      caseSensitive: true,
    }),
  ]),
  code(
    'jndi',
    'java_code_injection',
    'Look-up of Log4j, however it is spelled',
    String.raw`\$\{\s*(?:jndi|(?:\$\{[^}]*\}\w{0,4})+)\s*:|\$\{(?:jndi|env|sys|java|ctx|lower|upper|base64|script|dns|url|bundle|docker|k8s|spring|marker|log4j):`,
    ANYWHERE,
  ),
  code(
    'expression-language',
    'template_injection',
    'Expression language that calls or calculates',
    String.raw`(?:[$#%@*]\{|\$\[)[^}]*(?:\bt\s*\(|\bnew\s+\w|\(\s*[^)]*\)\s*\.|\.(?:class|getclass|forname|exec|getmethod|request|session|application)\b|#\w+\s*=|@java\.|@\w+@|\d+\s*[*+/-]\s*\d+)|[#%]\{\s*\(?#|(?:#_memberaccess|#context\b|@ognl|ognlcontext|xwork\.methodaccessor|#application|#session\[)`,
    ANYWHERE,
  ),
  code(
    'template',
    'template_injection',
    'Template syntax that calls, calculates or reaches into objects',
    String.raw`\{\{[^}]*(?:\d\s*[*+/-]\s*'?\d|__\w+__|\.\s*(?:constructor|config|request|self|mro|init|subclasses|globals|builtins|application)\b|\bconfig\b|\bself\b\.|\blipsum\b|\bcycler\b|\bjoiner\b|\brequest\b|\|\s*(?:attr|system|filter|map|safe|exec)\b|\[['"]|\w\()|\{%-?\s*(?:if|for|set|import|include|extends|block|print|with|raw|macro|debug|load|from|call)\b|<%[=-]?[^%]*(?:\d\s*[*+/-]\s*\d|\(|\bif\b|\bend\b|\x60)[^%]*%>|<#(?:assign|include|import|list|if|setting|macro|function|global)\b|#set\s*\(\s*\$|#(?:foreach|if|include|parse|evaluate)\s*\(\s*["'$]|\{php\}|\{/php\}|\{literal\}|\{system\s*\(|\$\{\s*(?:\d+\s*[*+/-]\s*\d+|[\w.]+\s*\([^)]*\))|\[[\[(][$*#@~]\{|\{\{=|\{\{#with`,
  ),
  code(
    'python',
    'code_injection',
    'Python that imports or reaches into objects',
    String.raw`__(?:import|class|mro|bases?|subclasses|globals|builtins|getattribute|reduce)__|\b(?:os|subprocess|pty|commands|importlib)\s*\.\s*(?:system|popen\d?|exec[lv]\w*|spawn\w*|check_output|run|call|getoutput|import_module)\s*\(|\bimport\s+(?:os|subprocess|socket|pty|sys)\s*;|\bcompile\s*\(\s*['"]`,
  ),
  code(
    'python-inline-import',
    'code_injection',
    'Python that imports a module and runs something of it in one expression',
    String.raw`__import__\s*\(\s*\\?['"](?:os|subprocess|pty|commands|socket|builtins|importlib|sys)\\?['"]\s*\)\s*\.\s*\w+`,
  ),
  // What stands before `qx` is an operator or nothing: base64 has it behind letters, slashes and plus signs, which may be blanks.
  code(
    'ruby-perl',
    'code_injection',
    'Ruby or Perl that runs something',
    String.raw`@\{\s*\[\s*(?:[^\]]*\]|\s*[\w\x60(!$:]+)|%x[{(\[|]|\bKernel\.(?:exec|system|open|spawn|eval)\b|\bProcess\.(?:spawn|kill|fork|exec|daemon|wait)\b|\bIO\.(?:popen|read|sysopen|binread|foreach|readlines)\b|\bOpen3\.\w+|\b(?:File|Dir)\.(?:read|open|delete|unlink|readlines|chmod|glob)\s*[( ]['"]|\.(?:send|public_send|instance_eval|class_eval|constantize)\s*\(?\s*[:'"]|(?:^|[=;,({[&|.'\x22]|\breturn)\s*qx\s?[{/(]|(?:^|[;{(\n]\s*)system\s*['"]\w`,
  ),
  code(
    'node-code',
    'js_code_injection',
    'JavaScript that reaches the server or runs what it is given',
    String.raw`\b(?:process|global|globalthis|module|require)\s*(?:\.|\[\s*['"])\s*(?:mainmodule|binding|kill|constructor|process|_load|dlopen)\b|\brequire\s*\(\s*['"\\\x60](?:node:|\\|)(?:child_process|vm|cluster|repl|worker_threads|v8)\b|\bchild_process['"\x60]?\s*\)?\s*[.)\]]|_\$\$nd_func\$\$_|\b__js_function\b|\.constructor\s*\.\s*constructor|\bconstructor\s*\(\s*['"]|\bnew\s+function\s*\(\s*['"\x60]|\b(?:eval|settimeout|setinterval|setimmediate)\s*\(\s*(?:['"\x60]|string\b|atob|unescape|function)`,
  ),
  ownRule(
    'node-statement',
    'js_code_injection',
    'A line of JavaScript that looks at the server',
    [
      condition(REFLECTED, {
        regex: String.raw`\b(?:process|module|require)\s*(?:\.|\[\s*['"])\s*(?:exit|argv|cwd|env|exports|stdout)\b|\brequire\s*\(\s*['"\\\x60](?:node:|\\|)(?:fs|os|net|http|https|dns|process)\b|\bchild_process\b|\bconsole\s*(?:\.|\[\s*['"])\s*(?:log|info|error|warn|debug|trace|dir|table)\b['"\]]*\s*\(|\bimport\s*\(\s*['"]|\breflect\.(?:sort|get|set|apply|construct)\b`,
      }),
      condition(REFLECTED, { regex: String.raw`^[^\n]{0,120}$` }),
    ],
    { sameValue: true },
  ),
  code(
    'endless-loop',
    'js_code_injection',
    'A loop that never ends',
    String.raw`^[^\n]{0,60}\bwhile\s*\(\s*(?:[+~-]|!\s*!)*\s*(?:true|!\s*[+-]?\s*(?:false|0|null|undefined|nan|''|"")|infinity|[1-9]\d*|\[\]|\{\}|this|string|number|object|array|date|new\s+\w+)\s*\)[^\n]{0,24}\n?$|^[^\n]{0,24}\bfor\s*\(\s*;\s*;\s*\)[^\n]{0,24}$`,
  ),
  ownRule('prototype-pollution', 'js_code_injection', 'A name that reaches the prototype of objects', [
    condition([...NAMES, ...VALUES], {
      regex: String.raw`(?:^|[\[."'\]{,\s])__proto__(?:$|[\[."'\]:=])|\bconstructor\s*(?:\.|\]\[|\[|"\s*:\s*\{\s*")\s*['"]?prototype\b`,
    }),
  ]),
]
