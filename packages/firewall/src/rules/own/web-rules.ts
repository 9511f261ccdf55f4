/** Cross-site scripting, requests forged through the server, XML entities, protocol tricks, sessions, CSV formulas. */
import { ADDRESSES } from '../../request/addresses.ts'
import type { Rule } from '../rule-format.ts'
import {
  ANYWHERE,
  condition,
  FILE_CONTENT,
  FOREIGN_REFERER,
  NAMES,
  ownRule,
  PARAMETERS,
  REFLECTED,
  SEGMENTS,
  VALUES,
} from './own-rule.ts'

const xss = (id: string, name: string, regex: string, where = REFLECTED): Rule =>
  ownRule(`xss-${id}`, 'xss', name, [condition(where, { regex }, ['removeNulls'])])

const HOST_START = String.raw`(?:[a-z][a-z0-9+.-]{1,15}:)?[\\/]{2,}(?:[^@/?#\s]*@)?`

/** What applications copy into headers of their answers. Bodies hold text with lines of its own. */
const IN_HEADERS = PARAMETERS.filter((input) => input.address !== ADDRESSES.body)

/** Those of servers and frameworks. `sid`, `session` and `session_id` are in the telemetry of half of the web. */
const SESSION_NAMES = String.raw`(?:^|__(?:host|secure)-)_?(?:jsessionid|aspsessionid\w*|asp\.net_sessionid|php_?sess(?:ion|id)|weblogicsession|cfid|cftoken|cfsid|jservsession|jwsession|laravel_session|connect\.sid|next-auth\.session-token|meteor_login_token|rack\.session|play_session|sails\.sid|ci_session|koa[.:]sess(?:\.sig)?|zend_session_id|shiny-token|rails_session|beaker\.session\.id)$`

export const WEB_RULES: readonly Rule[] = [
  xss(
    'script-tag',
    'A script element, or one that runs or loads something',
    String.raw`<\s*/?\s*(?:script|xss)\b|<\s*(?:iframe|embed|object|applet|base|meta|link|frame|frameset|portal|fencedframe)\b[^>]*\b(?:src|data|code|href|srcdoc|http-equiv|content|archive|classid)\s*=|<[^>]*:(?:vmlframe|script|set|animate)\b|<\s*noscript\s*[#/]`,
  ),
  xss(
    'event-handler',
    'An event handler in markup',
    String.raw`<\s*[a-z][^>]*[\s/"'\x0b\x0c]on[a-z]{3,40}\s*=|["'\x60]\s*/?\s*on[a-z]{3,40}\s*=\s*\S|<["'\s/]*on[a-z]{5,40}\s*=|^\s+on[a-z]{3,40}\s*=\s*$`,
  ),
  // `javascript:3.4.1` is a name with a version.
  xss(
    'script-url',
    'A URL whose scheme runs script',
    String.raw`(?:^|[\s"'=(>,])\s*(?:j\s*a\s*v\s*a|v\s*b|l\s*i\s*v\s*e)\s*s\s*c\s*r\s*i\s*p\s*t\s*:(?:[^\s;v#\d]|\d[\d.]*(?:[^\d.\s]|[ \t]+\S)|v(?:[^o]|o[^i]|oi[^d])|void\s*\(?\s*[^\s(0;)]|void\s*\(\s*0[^)]|[;#]\s*\S|\s*(?:alert|confirm|prompt|eval|document|window|location)\b)|\bdata\s*:\s*(?:text/html|application/xhtml\+xml|text/xml)[^,]*,|\bdata\s*:\s*image/svg\+xml(?:;charset=[\w-]*)?,[^,]*(?:<|%3c)\W*(?:script|svg[^>]*on)|\bdata\s*:\s*,\s*<`,
  ),
  xss(
    'svg-math',
    'Elements of SVG, MathML and media that carry script',
    String.raw`<\s*(?:svg|math|video|audio|img|image|input|body|details|marquee|select|textarea|keygen|isindex|style|form|button|source|picture|template|dialog)\b[^>]*(?:\bon[a-z]{3,}\s*=|javascript:|\bformaction\s*=|\bsrcdoc\s*=|\bexpression\s*\(|&#)|<\s*(?:svg|math)\s*/\s*on`,
  ),
  xss(
    'dom-sink',
    'Script that reads the page or changes it',
    String.raw`\bdocument\s*(?:\.|\[\s*['"])\s*(?:cookie|domain|write(?:ln)?|location|documentelement|referrer|defaultview)\b|\bwindow\s*(?:\.|\[\s*['"])\s*(?:location|name|open|eval|atob|onerror|opener|parent|top|frames|origin)\b|\b(?:self|top|this|parent|frames|window|document|globalthis)\s*\[\s*(?:['"\x60/+!~(]|\w+\s*[+(])|\.(?:innerhtml|outerhtml|insertadjacenthtml|srcdoc)\s*=|\.parentnode\b|\blocation\s*(?:\.(?:href|hash|assign|replace))?\s*(?:=|\()\s*['"\x60]?\s*(?:javascript|//|http|name\b|\w+\s*\()|\bstring\.fromcharcode\s*\(`,
    // Pages of documentation are named after properties, so the path does not count.
    REFLECTED.filter((input) => input.address !== ADDRESSES.path),
  ),
  xss(
    'call',
    'A call that testers show script with',
    String.raw`(?:^|[\s"'\x60=;>({},:!+&|*/-])(?:alert|prompt|confirm)\s*(?:\(\s*(?:[\d'"\x60/]|document|window|self|this|origin|location|xss|string|\))|\x60[^\s\x60.,;:)]+\x60)|\b(?:eval|atob|settimeout|setinterval|function)\s*(?:\x60[^\s\x60]*\(|\(\s*(?:['"\x60]\s*)?(?:alert|prompt|confirm|atob|name|location|document|string))|\bfetch\s*\(\s*['"\x60](?:https?:)?//|\bimport\s*\(\s*['"\x60](?:https?:)?//|\.(?:sort|call|apply|map|bind)\s*\.?\s*(?:call)?\x60\x60`,
  ),
  xss(
    'style',
    'A style that runs or loads something',
    String.raw`\bstyle\s*=[^>]*(?:expression\s*\(|javascript:|behaviou?r\s*:|-moz-binding|@import|url\s*\(\s*['"]?\s*(?:javascript|data:text))|<style[^>]*>[^<]*(?:@import|expression\s*\(|javascript:|behaviou?r\s*:)`,
  ),
  xss(
    'obscured',
    'Script made of punctuation',
    String.raw`(?:\[\]\[|!\[\]|\+\[\]|\(!\[\]){3,}|(?:\{\}\[|\(\{\}\)){2,}`,
  ),
  ownRule(
    'ssrf-internal',
    'ssrf',
    'A URL of an address that only the server reaches',
    [
      condition(
        REFLECTED.filter((input) => input.key_path === undefined),
        {
          regex: String.raw`^\s*(?:url\s*[:=]\s*)?(?:${HOST_START})?(?:localhost(?:\.localdomain)?[46]?(?:\.localdomain[46]?)?|[\w.-]*\.(?:localtest\.me|lvh\.me|nip\.io|sslip\.io|xip\.io|vcap\.me)|ip6-localhost|metadata(?:\.google\.internal|\.packet\.net|\.tencentyun\.com)?|kubernetes\.default(?:\.svc)?[\w.]*|rancher-metadata|instance-data|host\.docker\.internal)\.?(?::\d{1,5})?(?:[/?#\\]|$)(?:[\w./?=&%-]*$)`,
        },
      ),
      condition(VALUES, { regex: '[./:]' }),
    ],
    { sameValue: true },
  ),
  ownRule(
    'ssrf-address',
    'ssrf',
    'A URL with a loopback, private or metadata address, however it is written',
    [
      condition([...PARAMETERS, ...SEGMENTS], {
        regex: String.raw`[a-z][a-z0-9+.-]:[\\/]{1,3}(?:[^\s"'<>]*@)?\[?(?:169\.254(?:\.\d{1,3}){2}|100\.100\.100\.200|192\.0\.0\.192|2852039166|fd00:ec2::254)\b|(?:^|[\n=(,;&|])\s*['"]?(?:url:)?[a-z][a-z0-9+.-]+:[\\/]{1,3}(?:[^\s"'<>]*@)?\[?(?:127(?:\.\d{1,3}){1,3}|0(?:x[0-9a-f]{2,8}|[0-7]{3,12})(?:\.[0-9a-fx]{1,6}){0,3}|10(?:\.\d{1,3}){3}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|192\.168(?:\.\d{1,3}){2}|169\.254(?:\.\d{1,3}){2}|100\.100\.100\.200|192\.0\.0\.192|0(?:\.0){0,3}|2130706433|2852039166|3232235521|3639550\d{3}|::(?:1|ffff:[0-9a-f.:]+)?|fd00:ec2::254|f[cde][0-9a-f]{2}:[0-9a-f:]*)\]?(?::\d{1,5})?(?:[/?#\\"'\s]|$)`,
      }),
    ],
  ),
  ownRule('ssrf-scheme', 'ssrf', 'A URL with a scheme that browsers do not follow', [
    condition([...PARAMETERS, ...SEGMENTS], {
      // A stack trace has files as URLs behind blanks and parentheses.
      regex: String.raw`(?:^|["'=,])(?:url:)?file:[\\/]{1,4}[\w.~\[{$%*-]|(?:^|[\s"'=(,])(?:url:)?(?:gopher|dict|ldaps?|ldapi|tftp|sftp|netdoc|jar|smb|afp|acap|imaps?|pop3s?|smtps?|ircs?|rtsp|rtmp|telnet|vnc|rlogin|nfs|finger|wais|cvs|rmi|iiop|corbaname|dns|snmp|nntp|view-source|local_file|xri|res|resource|chrome|about|mhtml|feed):[\\/]{1,4}[\w.~\[{$*@:-]`,
    }),
  ]),
  ownRule('ssrf-obscured-host', 'ssrf', 'A host written with letters in circles or with an address twice', [
    condition(PARAMETERS, {
      regex: String.raw`^\s*[a-z]{2,12}:[\\/]{2}(?:[^\s/]*[\x{2460}-\x{24ff}\x{3002}\x{ff0e}\x{ff61}]|[^\s/@]*@[^\s/@]*@|[\w.:-]+\s*[&#\\]\s*@\s*[\w.])|^https?:\d{1,3}(?:\.\d{1,3}){3}`,
    }),
  ]),
  ownRule('rfi', 'rfi', 'A remote file to be included', [
    condition(VALUES, {
      regex: String.raw`^(?:https?|ftps?|file)(?:://[^\s?#]+\.(?:php\d?|phtml|txt|inc|asp|jsp|pl|py|sh|cgi|gif|jpg)\?+$|://[\w.-]{1,40}\?{1,2}$|\?+$)|\n\s*(?:https?|ftps?)://[^\s?#]+\.(?:php\d?|phtml|txt|inc|pl|py|sh|cgi|gif|jpg)\?+\s*(?:\n|$)|^(?:https?|ftp)://(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?/\S+\.(?:php|txt|sh|pl|py|exe|ps1|jsp)\b`,
    }),
  ]),
  ownRule('rfi-global', 'rfi', 'A variable of an old PHP application set to a URL', [
    condition([...NAMES], {
      regex: String.raw`^(?:_?(?:conf|globals|server|env)\[|mosconfig_|include(?:_?path|dir)?$|\w*absolute_path$|\w*root_path$|\w*basepath$|path\[\w+\]$|inc_dir$|doc_?root$)`,
    }),
    condition([{ address: ADDRESSES.foreignUrl }], { regex: '^.' }),
  ]),
  ownRule('xstream', 'deserialization', 'An XML element that makes XStream build a dangerous object', [
    // The path of an attribute has an at sign; XStream makes nothing of its name.
    condition([{ address: ADDRESSES.elementNames, except: '@' }], {
      regex: String.raw`^(?:dynamic-proxy|java\.util\.priorityqueue|java\.beans\.eventhandler|java\.lang\.process\w*|javax\.imageio\.\S+|com\.sun\.\S+|jdk\.nashorn\.\S+|sun\.\S+|org\.apache\.commons\.\S+|groovy\.\S+)$`,
    }),
  ]),
  ownRule('xxe', 'xxe', 'An XML entity or a document type from elsewhere', [
    condition([...VALUES, ...FILE_CONTENT], {
      regex: String.raw`<!\s*(?:entity\s+(?:%\s*)?[\w.-]+\s+(?:system|public|["'])|doctype\s+[^>\[]*(?:\[|\bsystem\s+["'](?:file|ftp|expect|php|gopher|jar|netdoc|//)))|<xi:include\b|<\?xml-stylesheet[^>]*href\s*=\s*["'](?:javascript|data|file):|xmlns:xi\s*=\s*["']http://www\.w3\.org/2001/xinclude`,
    }),
  ]),
  ownRule('header-split', 'http_protocol_violation', 'Line breaks followed by a header or a request', [
    condition(IN_HEADERS, {
      regex: String.raw`[\r\n]+\s*(?:content-(?:type|length)\s*:|set-cookie\s*:|location\s*:\s*\S|transfer-encoding\s*:|x-[a-z-]{3,30}\s*:\s*\S|http/[\d.]+\s+\d{3}|(?:get|post|head|put|delete|options|connect|trace|patch)\s+/\S*\s+http/\d)`,
    }),
  ]),
  ownRule(
    'session-fixation',
    'session_fixation',
    'The name of a session as a parameter, on a visit from another site',
    [condition(NAMES, { regex: SESSION_NAMES }), condition(FOREIGN_REFERER, { regex: '^.' })],
  ),
  ownRule('set-cookie-script', 'session_fixation', 'Script or markup that sets a cookie', [
    condition(PARAMETERS, {
      regex: String.raw`\.cookie\b[^;]*;\W{0,8}(?:expires|domain|path)\W{0,8}=|\bhttp-equiv\W{1,8}set-cookie\b`,
    }),
  ]),
  ownRule('jwt-unsigned', 'access_control_bypass', 'A token that says that it is not signed', [
    condition(ANYWHERE, { regex: String.raw`^\{[^{}]*"alg"\s*:\s*"none"[^{}]*\} \{` }),
  ]),
  ownRule('ssi', 'code_injection', 'Server-side include or edge-side include', [
    condition(ANYWHERE, {
      regex: String.raw`<!--\s*#\s*(?:exec|include|echo|config|printenv|set|flastmod|fsize)\b|<esi:(?:include|vars|inline|remove|try|when|debug)\b`,
    }),
  ]),
]
