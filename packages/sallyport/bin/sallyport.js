#!/usr/bin/env node
/**
 * Runs the `sallyport` command with the Node that the lock file pins, whatever Node started this file. It is plain
 * JavaScript, because Node 20 has to read it.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const main = new URL('../src/main.ts', import.meta.url)
/** What Node made of the sources when the program was installed (`prepared-folder.ts`). */
const compileCache = fileURLToPath(new URL('../dist/compile-cache', import.meta.url))
const { resolve } = createRequire(import.meta.url)

/** Path of the pinned Node's program, or nothing where nothing is installed yet. */
function findPinnedNode() {
  try {
    return resolve('node/bin/node')
  } catch {
    return undefined
  }
}

/** Hands the arguments, the terminal and every signal on to `node`, and ends as it ends. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => {
    for (const name of SIGNALS) process.removeAllListeners(name)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}

function fail(message) {
  process.stderr.write(`sallyport: ${message}\n`)
  process.exit(1)
}

const node = findPinnedNode()
if (node === undefined) fail('Node 24 is not installed here: run `npm ci` first')
else if (process.execPath === node) await runHere()
else runWith(node)

/**
 * Before the first file of TypeScript is read: for one that is not in the cache, Node loads a compiler of its own, 14 MiB that stay. An
 * operator's own folder wins.
 */
async function runHere() {
  if (process.env.NODE_COMPILE_CACHE === undefined && existsSync(compileCache)) {
    module.enableCompileCache(compileCache)
    // For its threads, and for the processes that it starts.
    if (module.getCompileCacheDir() !== undefined) process.env.NODE_COMPILE_CACHE = compileCache
  }
  await import(main.href)
}
