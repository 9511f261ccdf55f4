/** Commands for the firewall's rule sets, which every gateway of the installation runs beside the default rules. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CrsReportLine } from '@sallyport/firewall'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../operator-error.ts'
import { acting, addRemove, json, type ReadSettings } from './acting.ts'
import { type OutputOptions, print } from './print.ts'

interface ImportOptions extends OutputOptions {
  readonly paranoia: '1' | '2' | '3' | '4'
  readonly name: string
  readonly dryRun?: boolean
  readonly report?: string
}

/** Adds `firewall import`, `firewall list` and `firewall remove`. */
export function addFirewallCommands(program: Command, readSettings: ReadSettings): void {
  const group = program.command('firewall').description('rule sets of the firewall')
  json(group.command('import'))
    .argument('<directory>', 'a directory of the OWASP Core Rule Set')
    .description('translate an OWASP CRS directory and put it in force on every gateway')
    .addOption(
      new Option('--paranoia <level>', 'the highest paranoia level')
        .choices(['1', '2', '3', '4'])
        .default('1'),
    )
    .option('--name <name>', 'name of the rule set', nameOf, 'owasp-crs')
    .option('--dry-run', 'only say what would be taken')
    .option('--report <file>', 'write what became of each rule, as JSON')
    .action((directory: string, options: ImportOptions) => importDirectory(directory, options, readSettings))
  json(group.command('list'))
    .description('list the imported rule sets')
    .action(acting(readSettings, (operator) => operator.listRuleSets()))
  const words = { argument: 'name of the rule set', description: 'take a rule set out of force' }
  addRemove(group, readSettings, words, async (operator, name) => {
    if (!(await operator.removeRuleSet(name))) throw new OperatorError(`there is no rule set ${name}`)
  })
}

async function importDirectory(
  directory: string,
  options: ImportOptions,
  readSettings: ReadSettings,
): Promise<void> {
  const { importCrs, NoCrsRulesError } = await import('@sallyport/firewall')
  const translate = () => {
    try {
      return importCrs(directory, { paranoia: LEVELS[options.paranoia] })
    } catch (error) {
      throw error instanceof NoCrsRulesError ? new OperatorError(error.message) : error
    }
  }
  const { ruleSet, report } = translate()
  if (options.report !== undefined)
    await writeFile(options.report, `${JSON.stringify(report, null, 2)}\n`).catch((error: Error) => {
      throw new OperatorError(`the report cannot be written: ${error.message}`)
    })
  if (!options.json) printReport(report)
  const counts = {
    name: options.name,
    taken: count(report, 'taken'),
    refused: count(report, 'refused'),
    other: count(report, 'other'),
  }
  if (ruleSet.rules.length === 0) throw new OperatorError(`no rule of ${directory} could be taken`)
  if (options.dryRun) {
    print({ ...counts, installed: false }, options)
    return
  }
  const { withOperator } = await import('./with-operator.ts')
  await withOperator(await readSettings(), (operator) =>
    operator.installRuleSet({
      name: options.name,
      rules: JSON.stringify(ruleSet),
      ruleCount: ruleSet.rules.length,
      source: `${resolve(directory)}, paranoia level ${options.paranoia}`,
    }),
  )
  print({ ...counts, installed: true }, options)
}

const LEVELS = { 1: 1, 2: 2, 3: 3, 4: 4 } as const

const count = (report: readonly CrsReportLine[], outcome: CrsReportLine['outcome']): number =>
  report.filter((line) => line.outcome === outcome).length

/** What was taken needs no words unless it differs; what was not says why. */
function printReport(report: readonly CrsReportLine[]): void {
  for (const { id, file, outcome, reason, notes } of report) {
    if (outcome === 'refused') console.log(`${id}  not taken  ${file}: ${reason}`)
    else if (outcome === 'taken' && notes.length > 0)
      console.log(`${id}  taken      ${file}: ${notes.join('; ')}`)
  }
}

function nameOf(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(text))
    throw new InvalidArgumentError('lower-case letters, digits and hyphens')
  return text
}
