/** Commands about evidence: fetch it from a control plane, and check it offline. */
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { OperatorError } from '../operator-error.ts'
import { writeWhole } from '../private-file.ts'
import { type Access, type AccessOptions, findAccess, withAccess } from './access.ts'
import { json, type ReadSettings } from './acting.ts'
import { type OutputOptions, print } from './print.ts'
import { withClient } from './with-client.ts'

interface CreateOptions extends OutputOptions, AccessOptions {
  readonly gte?: string
  readonly lte?: string
  readonly project?: string
  readonly output: string
}

/** Adds `evidence create` and `evidence verify`. */
export function addEvidenceCommands(
  program: Command,
  readSettings: ReadSettings,
  environment: NodeJS.ProcessEnv,
): void {
  const group = program.command('evidence').description('signed evidence of the traffic of a site')
  withAccess(json(group.command('create')))
    .argument('<site>', 'id of the site')
    .description('fetch the evidence of a site and a window')
    .option(
      '--gte <moment>',
      'start of the window, as now-30d/d or ISO 8601 (default: 24 hours before its end)',
    )
    .option('--lte <moment>', 'end of the window (default: now)')
    .option('--project <id>', 'with the items and checks of this project')
    .option('--output <file>', 'where to write it', 'evidence.tar')
    .action(async (site: string, options: CreateOptions) =>
      create(site, options, await findAccess(options, readSettings, environment)),
    )
  json(group.command('verify'))
    .argument('<file>', 'the evidence')
    .description('check evidence offline; the exit code is 1 where anything was changed')
    .option(
      '--key <fingerprint>',
      "fingerprint of the installation's key, from /.well-known/sallyport/evidence-key",
      readFingerprint,
    )
    .action(verify)
}

async function create(site: string, options: CreateOptions, access: Access): Promise<void> {
  const { gte, lte, project } = options
  const query = {
    ...(gte !== undefined && { gte }),
    ...(lte !== undefined && { lte }),
    ...(project !== undefined && { project }),
  }
  const there = await stat(options.output).catch(() => undefined)
  if (there && !there.isFile()) throw new OperatorError(`--output: ${options.output} is no file`)
  await withClient(access, async (client) => {
    const { body } = await client.stream('evidenceGet', { params: { id: site }, query })
    if (!body) throw new OperatorError(`${access.url} answered without the evidence`)
    // What is there is replaced by a file for its owner alone.
    const write = (unfinished: string): Promise<void> =>
      pipeline(body, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }))
    await writeWhole(options.output, write).catch((error: Error) => {
      throw new OperatorError(`the evidence could not be written whole: ${error.message}`)
    })
    print({ written: options.output }, options)
  })
}

async function verify(file: string, options: OutputOptions & { readonly key?: string }): Promise<void> {
  const { verifyPack } = await import('@sallyport/control')
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) throw new OperatorError(`the evidence cannot be read: ${file} is a folder`)
  const archive = createReadStream(file)
  await once(archive, 'open').catch((error: Error) => {
    throw new OperatorError(`the evidence cannot be read: ${error.message}`)
  })
  const { isIntact, problems, fingerprint, manifest } = await verifyPack(archive, options.key)
  print(
    {
      intact: isIntact,
      fingerprint,
      // Without a fingerprint to compare with, whoever made the file may have signed it too.
      signer: options.key ? 'compared' : 'not compared: give --key',
      site: manifest?.site.gatedName,
      ...(manifest?.project && { project: manifest.project.name || manifest.project.id }),
      from: manifest?.window.gte,
      to: manifest?.window.lte,
      requests: manifest?.traffic.events,
      auditEntries: manifest?.audit.entries,
      problems: options.json ? problems : problems.join('; '),
    },
    options,
  )
  if (!isIntact) process.exitCode = 1
}

/** An empty one, as of a variable that is not set, must not pass for none. */
function readFingerprint(text: string): string {
  if (!/^sha256:[0-9a-f]{64}$/i.test(text))
    throw new InvalidArgumentError('It is not sha256: and 64 hexadecimal digits.')
  return text.toLowerCase()
}
