/** nginx with ModSecurity 3 and Debian's OWASP CRS: which rules fire on a request, and what that costs. */
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PlainProxy, startPlainProxy } from './plain-proxy.ts'
import { type Nginx, startNginx } from './programs.ts'

const MODULE = '/usr/lib/nginx/modules/ngx_http_modsecurity_module.so'
const CRS_SETUP = '/etc/modsecurity/crs/crs-setup.conf'
/** Debian's CRS directory. */
export const CRS_DIRECTORY = '/usr/share/modsecurity-crs'
const CRS_RULES = `${CRS_DIRECTORY}/rules`
const UNICODE_MAP = '/etc/nginx/unicode.mapping'

/** Ends the benchmark with one line when ModSecurity or the CRS is not installed. */
export function requireModSecurity(): void {
  const missing = [MODULE, CRS_SETUP, CRS_RULES, UNICODE_MAP].find((path) => !existsSync(path))
  if (missing === undefined) return
  console.error(
    `This benchmark needs ${missing}: apt-get install libnginx-mod-http-modsecurity modsecurity-crs`,
  )
  process.exit(1)
}

/** `load_module` for nginx's main context. */
export const LOAD_MODSECURITY = `load_module ${MODULE};`

/** Directives that read bodies as ModSecurity's recommended configuration has them read, without its small limits. */
const BODIES = `SecRequestBodyAccess On
SecRequestBodyLimit 13107200
SecRequestBodyNoFilesLimit 13107200
SecPcreMatchLimit 1000000
SecPcreMatchLimitRecursion 1000000
SecUnicodeMapFile ${UNICODE_MAP} 20127
SecRule REQUEST_HEADERS:Content-Type "^(?:application(?:/soap\\+|/)|text/)xml" "id:200000,phase:1,t:none,t:lowercase,pass,nolog,ctl:requestBodyProcessor=XML"
SecRule REQUEST_HEADERS:Content-Type "^application/json" "id:200001,phase:1,t:none,t:lowercase,pass,nolog,ctl:requestBodyProcessor=JSON"
`

/** Text of a ModSecurity configuration that runs the CRS at a paranoia level. */
export const crsConfiguration = (engine: 'On' | 'DetectionOnly', paranoia: number, auditLog = ''): string =>
  `SecRuleEngine ${engine}
${BODIES}${auditLog === '' ? 'SecAuditEngine Off' : auditLogDirectives(auditLog)}
Include ${CRS_SETUP}
SecAction "id:900000,phase:1,nolog,pass,t:none,setvar:tx.paranoia_level=${paranoia},setvar:tx.executing_paranoia_level=${paranoia}"
Include ${CRS_RULES}/*.conf
`

/** Starts a proxy with ModSecurity and the CRS at paranoia level 1, and an origin of its own behind it. */
export async function startModSecurityProxy(engine: 'On' | 'DetectionOnly'): Promise<PlainProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-modsecurity-'))
  const rulesFile = join(folder, 'rules.conf')
  writeFileSync(rulesFile, crsConfiguration(engine, 1))
  const proxy = await startPlainProxy({
    server: `modsecurity on; modsecurity_rules_file ${rulesFile};`,
    main: LOAD_MODSECURITY,
  })
  return {
    ...proxy,
    stop: async () => {
      await proxy.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const auditLogDirectives = (file: string): string =>
  `SecAuditEngine On\nSecAuditLogType Serial\nSecAuditLogFormat JSON\nSecAuditLogParts AHZ\nSecAuditLog ${file}`

/** nginx writes an entry down after it has answered. */
const ENTRY_WAIT_MS = 1_000
/** More than the entries of one request. */
const CHUNK_BYTES = 1024 * 1024

/** A running ModSecurity that only detects. */
export interface Detector {
  /** Sends a request, and answers the ids of the rules that fired; throws where nothing is written down about it. */
  fired(request: Buffer): Promise<ReadonlySet<number>>
  stop(): Promise<void>
}

/** Starts nginx on `port` with the CRS at a paranoia level. Requests have to be sent one after the other. */
export async function startDetector(port: number, paranoia: number): Promise<Detector> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-detector-'))
  const auditLog = join(folder, 'audit.json')
  const rulesFile = join(folder, 'rules.conf')
  writeFileSync(rulesFile, crsConfiguration('DetectionOnly', paranoia, auditLog))
  const nginx: Nginx = await startNginx(
    `large_client_header_buffers 8 64k; client_max_body_size 0;
     server { listen unix:${folder}/origin.sock; location / { return 200 "ok"; } }
     server { listen 127.0.0.1:${port}; modsecurity on; modsecurity_rules_file ${rulesFile};
       location / { proxy_pass http://unix:${folder}/origin.sock; } }`,
    LOAD_MODSECURITY,
  )
  const log = openSync(auditLog, 'r')
  let read = 0
  /** Whole lines that were written since the last call. */
  const newEntries = (): AuditEntry[] => {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const text = chunk.subarray(0, readSync(log, chunk, 0, chunk.length, read))
    const lines = text.subarray(0, text.lastIndexOf('\n') + 1)
    read += lines.length
    return lines
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): AuditEntry => JSON.parse(line))
  }
  return {
    async fired(request) {
      const localPort = await send(port, request)
      for (let waitedMs = 0; waitedMs < ENTRY_WAIT_MS; waitedMs++) {
        const entry = newEntries().find(({ transaction }) => transaction.client_port === localPort)
        if (entry) return new Set(entry.transaction.messages.map(({ details }) => Number(details.ruleId)))
        await sleep(1)
      }
      throw new Error(`nginx wrote nothing about ${request.toString('latin1', 0, 120)}`)
    },
    async stop() {
      closeSync(log)
      await nginx.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An entry of the audit log, as far as it is read. */
interface AuditEntry {
  readonly transaction: {
    readonly client_port: number
    readonly messages: readonly { readonly details: { readonly ruleId: string } }[]
  }
}

/** Sends bytes on a connection of their own, waits until it is closed, and answers its local port. */
const send = (port: number, bytes: Buffer): Promise<number | undefined> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    let localPort: number | undefined
    socket.on('connect', () => {
      localPort = socket.localPort
      socket.end(bytes)
    })
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => done(localPort))
    socket.setTimeout(5_000, () => socket.destroy())
  })
