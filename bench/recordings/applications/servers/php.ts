/** Applications in PHP from Debian's packages, copied to a folder of the session and served by PHP's own server. */
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordingSession } from '../../session.ts'

const WORKERS = 4
/** PHP's server looks for files only; this is what a rewrite rule of a web server does. Requests behind the recorder came by TLS. */
const ROUTER = `<?php
$_SERVER['HTTPS'] = 'on';
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_string($path) && is_file($_SERVER['DOCUMENT_ROOT'] . rawurldecode($path))) return false;
`

/** A copy of an installed application in the session's folder. */
export function copyApplication(session: RecordingSession, from: string): string {
  const root = join(session.folder, 'root')
  // Packages have links to configuration that is not there yet.
  cpSync(from, root, { recursive: true, dereference: true, filter: (file) => existsSync(file) })
  return root
}

/** Serves a folder under a name. `fallback` is PHP that answers what is no file; by default `index.php` does. */
export async function servePhp(
  session: RecordingSession,
  name: string,
  root: string,
  fallback = "require $_SERVER['DOCUMENT_ROOT'] . '/index.php';",
): Promise<string> {
  const router = join(session.folder, 'router.php')
  writeFileSync(router, `${ROUTER}${fallback}\n`)
  const [port = 0] = await freePorts(1)
  const settings = [
    'upload_max_filesize=20M',
    'post_max_size=20M',
    'display_errors=0',
    `session.save_path=${session.folder}`,
  ]
  await session.start(
    'php',
    [...settings.flatMap((setting) => ['-d', setting]), '-S', `127.0.0.1:${port}`, '-t', root, router],
    { cwd: session.folder, port, env: { PHP_CLI_SERVER_WORKERS: String(WORKERS) } },
  )
  return session.route(name, { port })
}
