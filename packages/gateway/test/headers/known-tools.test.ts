import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isScannerTool, toolNamed, toolOf } from '../../src/headers/known-tools.ts'

/** User agents as the tools send them where nobody changes that. */
const AGENTS: Readonly<Record<string, string>> = {
  'sqlmap/1.8#stable (https://sqlmap.org)': 'sqlmap',
  'Fuzz Faster U Fool v2.1.0': 'ffuf',
  'Nuclei - Open-source project (github.com/projectdiscovery/nuclei)': 'nuclei',
  'httpx - Open-source project (github.com/projectdiscovery/httpx)': 'httpx',
  'Mozilla/5.0 (Hydra)': 'hydra',
  'Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)': 'dirb',
  'gobuster/3.6': 'gobuster',
  'Mozilla/5.00 (Nikto/2.5.0) (Evasions:None) (Test:map_codes)': 'nikto',
  'Wfuzz/3.1.0': 'wfuzz',
  'Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)': 'nmap',
  'feroxbuster/2.10.3': 'feroxbuster',
  'DirBuster-1.0-RC1 (http://www.owasp.org/index.php/Category:OWASP_DirBuster_Project)': 'dirbuster',
  'WPScan v3.8.25 (https://wpscan.com/wordpress-security-scanner)': 'wpscan',
  'curl/8.5.0': 'curl',
  'Wget/1.21.4': 'wget',
  'python-requests/2.31.0': 'python-requests',
  'python-httpx/0.27.0': 'python-httpx',
  'Python/3.12 aiohttp/3.9.5': 'python-aiohttp',
  'Go-http-client/2.0': 'go-http-client',
  'okhttp/4.12.0': 'java-http-client',
  'axios/1.7.2': 'node',
  'PostmanRuntime/7.39.0': 'postman',
  'Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)': 'httrack',
  'Mozilla/5.0 (compatible; meg/0.2; +https://github.com/tomnomnom/meg)': 'meg',
  'Scrapy/2.11.0 (+https://scrapy.org)': 'scrapy',
  'schemathesis/3.25.0': 'schemathesis',
  'aria2/1.36.0': 'aria2',
  'lftp/4.9.2': 'lftp',
  'Axel/2.17.11 (linux-gnu)': 'axel',
  'cadaver/0.24 neon/0.32.5': 'cadaver',
  'git/2.39.5': 'git',
  'npm/10.8.2 node/v20.20.2 linux x64 workspaces/false': 'npm',
  'docker/24.0.7 go/go1.20.10 git-commit/311b9ff kernel/6.1 os/linux arch/amd64': 'docker',
  'Mozilla/5.0 (pc-x86_64-linux-gnu) Siege/4.0.7': 'siege',
  'ApacheBench/2.3': 'ab',
  'h2load nghttp2/1.52.0': 'h2load',
  'nghttp2/1.52.0': 'nghttp',
  'grpc-go/1.58.0': 'grpc',
  'k6/0.49.0 (https://k6.io/)': 'k6',
  'IntelliJ HTTP Client/IntelliJ IDEA 2023.3': 'intellij-http-client',
  'Thunder Client (https://www.thunderclient.com)': 'thunder-client',
  'vscode-restclient': 'vscode-rest-client',
  'bruno-runtime/1.20.0': 'bruno',
  'Python/3.11 websockets/10.4': 'python-websockets',
  'python-urllib3/2.0.7': 'python-urllib3',
  'Python-urllib/3.11': 'python-urllib',
  'Needle/3.5.0 (Node.js v20.20.2; linux x64)': 'node',
  'rest-client/2.1.0 (linux x86_64) ruby/3.1.2p20': 'ruby',
  'Mechanize/2.9.1 Ruby/3.1.2p20 (http://github.com/sparklemotion/mechanize/)': 'ruby',
  'Mojolicious (Perl)': 'perl',
  'WWW-Mechanize/2.15': 'perl',
  'Symfony HttpClient/Curl': 'php',
  'Apache-HttpAsyncClient/5.1': 'java-http-client',
  'ReactorNetty/1.1.0': 'java-http-client',
  'Dart/3.1 (dart:io)': 'dart',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/138.0.0.0 Safari/537.36':
    'headless-browser',
}
const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8',
  'w3m/0.5.3+git20230121',
  '',
]

test('tools and libraries are known by what they send', () => {
  for (const [agent, name] of Object.entries(AGENTS)) assert.equal(toolOf(agent), name, agent)
})

test('browsers are no tools', () => {
  for (const agent of BROWSERS) assert.equal(toolOf(agent), '', agent)
})

test('what rules call a tool becomes its name', () => {
  assert.equal(toolNamed('burpcollaborator'), 'burp')
  assert.equal(toolNamed('interact.sh'), 'nuclei')
  assert.equal(toolNamed('sqlmap'), 'sqlmap')
  assert.equal(toolNamed('scanner'), 'scanner')
})

test('scanners are told from what people and their programs ask with', () => {
  for (const name of ['sqlmap', 'burp', 'nuclei', 'nikto', 'httrack', 'meg', 'scanner'])
    assert.ok(isScannerTool(name), name)
  for (const name of ['curl', 'postman', 'caido', 'git', 'siege', 'python-requests', 'headless-browser', ''])
    assert.ok(!isScannerTool(name), name)
})
