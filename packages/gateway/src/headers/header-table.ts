/**
 * The table of request headers by which an origin may be told another path, method, host, scheme, script or client than
 * the request itself has, and what becomes of each. Its rows are the table of docs/request-headers.md (a test compares the two).
 *
 * - `drop`: only a proxy in front of the origin may say it, or its effect on the path cannot be judged; it does not go on.
 * - `judge`: its value is a further path or method of the request. Whatever judges the request by path or method (block
 *   rules, exclusions and overrides of the firewall) judges it by that, too; then it goes on as it was sent.
 * - `pass`: it goes on unjudged, for no rule of a site can be stepped over by it, and testers need it.
 *
 * Names are folded, because many origins make a variable of a header (CGI, RFC 3875, section 4.1.18; WSGI, Rack, PHP), in
 * which `-`, `_` and often any other sign are the same. A `*` at an end of a name stands for anything, also for nothing; a
 * row without one comes before those with one, and of these the first that fits decides.
 */

export type HeaderTreatment = 'drop' | 'judge' | 'pass'

/**
 * What a header says. `path`: a whole path or URL. `prefix`: a part of the path that belongs to the script, so that the
 * origin may take it off the path, or put it before. `destination`: where WebDAV's COPY and MOVE write. `condition`: something
 * about resources that decides whether the request is carried out, never where.
 */
export type HeaderSubject =
  | 'client'
  | 'condition'
  | 'destination'
  | 'file'
  | 'host'
  | 'method'
  | 'path'
  | 'prefix'
  | 'query'
  | 'route'
  | 'scheme'

export interface HeaderRow {
  /** Folded: lower case, `-` for every sign that is neither a letter nor a digit. */
  readonly name: string
  readonly says: HeaderSubject
  readonly treatment: HeaderTreatment
  /** Which servers or frameworks take their word for it, or who sends it where nobody does. */
  readonly by: string
}

const row = (name: string, says: HeaderSubject, treatment: HeaderTreatment, by: string): HeaderRow => ({
  name,
  says,
  treatment,
  by,
})

const unknown = (says: HeaderSubject, names: string): readonly HeaderRow[] =>
  names.split(' ').map((name) => row(name, says, 'judge', 'unknown headers of such a name'))

export const HEADER_TABLE: readonly HeaderRow[] = [
  row('forwarded', 'client', 'drop', 'RFC 7239; ours to say'),
  row('x-forwarded', 'client', 'drop', 'ours to say'),
  row('x-forwarded-*', 'client', 'drop', 'nearly all; hosts, schemes, prefixes and URIs too; ours to say'),
  row('sallyport-*', 'client', 'drop', 'the gate itself'),

  row('script-name', 'prefix', 'drop', 'gunicorn, from addresses it trusts (loopback by default)'),
  row('x-script-name', 'prefix', 'drop', 'WSGI middleware for reverse proxies (Flask and others)'),
  row('script-filename', 'file', 'drop', 'FastCGI applications that mix up variables and headers'),
  row('script-ur*', 'path', 'drop', 'Django and others read the variables that mod_rewrite sets'),
  row('path-translated', 'file', 'drop', 'CGI applications that mix up variables and headers'),
  row('document-root', 'file', 'drop', 'FastCGI applications that mix up variables and headers'),
  row('query-string', 'query', 'drop', 'CGI applications that mix up variables and headers'),
  row('redirect-*', 'path', 'drop', "applications that read mod_rewrite's variables"),
  row(
    'x-accel-mapping',
    'file',
    'drop',
    'Rack::Sendfile before CVE-2025-61780: nginx then serves another path',
  ),
  row('x-sendfile-type', 'file', 'drop', 'Rack::Sendfile before CVE-2025-61780'),
  row('x-now-route-matches', 'path', 'drop', 'Next.js behind a proxy of its own'),

  row('http-host', 'host', 'drop', 'CGI applications that mix up variables and headers'),
  row('server-name', 'host', 'drop', 'CGI applications that mix up variables and headers'),
  row('server-port', 'host', 'drop', 'CGI applications that mix up variables and headers'),
  row('x-host', 'host', 'drop', 'PHP and Java applications'),
  row('x-original-host', 'host', 'drop', 'applications behind Azure Application Gateway'),
  row('x-real-host', 'host', 'drop', 'applications behind nginx'),
  row('x-rewrite-host', 'host', 'drop', 'applications behind rewriting proxies'),
  row('x-backend-host', 'host', 'drop', 'proxies that route by it'),
  row('x-upstream-host', 'host', 'drop', 'proxies that route by it'),
  row('x-proxy-host', 'host', 'drop', 'proxies that route by it'),
  row('x-host-override', 'host', 'drop', 'applications behind API gateways'),
  row('x-http-host-override', 'host', 'drop', 'applications behind API gateways'),
  row('x-envoy-original-dst-host', 'host', 'drop', 'Envoy, which may connect to what it names'),

  row(
    'destination',
    'destination',
    'judge',
    'WebDAV servers: nginx, Apache httpd, IIS (RFC 4918, section 10.3)',
  ),
  row('x-http-method-override', 'method', 'judge', "Rails, Symfony, Laravel, ASP.NET, Google's APIs"),
  row('x-http-method', 'method', 'judge', 'OData, ASP.NET'),
  row('x-method-override', 'method', 'judge', 'Express and others'),
  row('request-method', 'method', 'judge', 'CGI applications that mix up variables and headers'),
  row('x-original-method', 'method', 'judge', "applications that nginx's ingress asks for leave"),
  row('x-original-url', 'path', 'judge', "IIS's URL Rewrite, Symfony and Zend before 2018"),
  row('x-original-uri', 'path', 'judge', 'applications behind nginx'),
  row('x-original-path', 'path', 'judge', 'applications behind rewriting proxies'),
  row('x-rewrite-url', 'path', 'judge', 'IIS with ISAPI_Rewrite, Symfony and Zend before 2018'),
  row('x-override-url', 'path', 'judge', 'applications behind rewriting proxies'),
  row('x-http-destinationurl', 'path', 'judge', 'proxies that route by it'),
  row('x-envoy-original-path', 'path', 'judge', 'applications behind Envoy'),
  row('x-replaced-path', 'path', 'judge', 'applications behind Traefik'),
  row('x-requested-path', 'path', 'judge', 'applications behind rewriting proxies'),
  row('x-proxy-url', 'path', 'judge', 'proxies that route by it'),
  row('x-reproxy-url', 'path', 'judge', "Perlbal and nginx's module of that name, from an application"),
  row('x-accel-redirect', 'path', 'judge', 'nginx, from an application'),
  row('x-sendfile', 'path', 'judge', 'Apache httpd and lighttpd, from an application'),
  row('x-matched-path', 'path', 'judge', 'Next.js behind a proxy of its own'),
  row('x-invoke-path', 'path', 'judge', 'Next.js 13 and 14'),
  row('x-invoke-output', 'path', 'judge', 'Next.js 13 and 14'),
  row('request-uri', 'path', 'judge', 'CGI applications that mix up variables and headers'),
  row('document-uri', 'path', 'judge', 'FastCGI applications that mix up variables and headers'),
  row('path-info', 'path', 'judge', 'CGI and WSGI applications that mix up variables and headers'),
  row('orig-path-info', 'path', 'judge', 'PHP applications that mix up variables and headers'),
  row('orig-script-name', 'prefix', 'drop', 'PHP applications that mix up variables and headers'),
  row('base-url', 'prefix', 'judge', 'applications under a prefix'),
  row('x-base-url', 'prefix', 'judge', 'applications under a prefix'),
  row('x-ingress-path', 'prefix', 'judge', 'add-ons of Home Assistant'),

  row(
    'access-control-request-method',
    'method',
    'pass',
    'sent by browsers before a request that is judged itself',
  ),
  row('hx-current-url', 'path', 'pass', 'sent by htmx: the page that is shown, like Referer'),
  row('next-url', 'path', 'pass', 'sent by Next.js: the page that is shown'),
  row(
    'x-middleware-subrequest',
    'route',
    'pass',
    'Next.js before CVE-2025-29927: what the origin skips of its own',
  ),
  row('x-nextjs-data', 'route', 'pass', 'Next.js: that the data of the page is asked for'),
  row('x-invoke-query', 'query', 'pass', 'Next.js 13 and 14'),
  row('soapaction', 'route', 'pass', 'SOAP: an operation of the path that was judged'),
  row('x-amz-target', 'route', 'pass', 'AWS: an operation of the path that was judged'),
  row('api-version', 'route', 'pass', 'a version of the path that was judged'),
  row('x-api-version', 'route', 'pass', 'a version of the path that was judged'),
  row('accept-version', 'route', 'pass', 'a version of the path that was judged'),
  row('if', 'condition', 'pass', 'WebDAV servers (RFC 4918, section 10.4)'),
  row('overwrite', 'condition', 'pass', 'WebDAV servers (RFC 4918, section 10.6)'),
  row('content-location', 'condition', 'pass', 'nobody who carries out a request (RFC 9110, section 8.7)'),
  row('front-end-https', 'scheme', 'pass', "applications behind Microsoft's proxies"),
  row('x-url-scheme', 'scheme', 'pass', 'applications behind proxies'),
  row('x-scheme', 'scheme', 'pass', 'applications behind proxies'),
  row('x-real-ip', 'client', 'pass', 'applications behind nginx'),
  row('true-client-ip', 'client', 'pass', 'applications behind Akamai or Cloudflare'),
  row('cf-connecting-ip', 'client', 'pass', 'applications behind Cloudflare'),
  row('fastly-client-ip', 'client', 'pass', 'applications behind Fastly'),
  row('x-client-ip', 'client', 'pass', 'applications behind proxies'),
  row('x-cluster-client-ip', 'client', 'pass', 'applications behind proxies'),
  row('x-original-forwarded-for', 'client', 'pass', "applications behind nginx's ingress"),
  row('remote-addr', 'client', 'pass', 'applications that mix up variables and headers'),
  row('remote-user', 'client', 'pass', 'applications that mix up variables and headers'),
  row('proxy', 'host', 'pass', "CGI applications' own requests (httpoxy)"),
  row('x-wap-profile', 'path', 'pass', 'names a description of the device, elsewhere'),

  // What goes by the names of its kind. Honest headers of such names are judged in vain: their values are under no rule.
  ...unknown('method', '*method *method-override *-verb'),
  ...unknown('prefix', '*prefix *-script-name *base-path *root-path *context-path'),
  ...unknown('path', '*url *uri *path *pathname *path-info *url-override *uri-override *path-override'),
  ...unknown('path', '*-rewrite *-route *-destination'),
]

const exact = new Map(HEADER_TABLE.filter(({ name }) => !name.includes('*')).map((one) => [one.name, one]))
const families = HEADER_TABLE.filter(({ name }) => name.includes('*'))

/** The row for a folded name, undefined for what can name nothing of the kind, as far as its name tells. */
export const rowFor = (folded: string): HeaderRow | undefined =>
  exact.get(folded) ?? families.find(({ name }) => fits(name, folded))

const fits = (pattern: string, folded: string): boolean =>
  pattern.startsWith('*') ? folded.endsWith(pattern.slice(1)) : folded.startsWith(pattern.slice(0, -1))
