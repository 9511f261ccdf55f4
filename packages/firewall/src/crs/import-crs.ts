/**
 * Imports an OWASP Core Rule Set directory: each request rule is translated into this package's format, and a report
 * says of every rule whether it was taken, and if not, why.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine } from '../engine.ts'
import { ownRules } from '../rules/own-rules.ts'
import type { Rule, RuleSet } from '../rules/rule-format.ts'
import { actionOf, parseSecLang, type SecRule } from './seclang.ts'
import { paranoiaOf, translateRule } from './translate-rule.ts'

export interface CrsImportOptions {
  /** Rules of this paranoia level and those below are taken. */
  readonly paranoia: 1 | 2 | 3 | 4
}

/** What became of one rule. */
export interface CrsReportLine {
  readonly id: string
  readonly file: string
  readonly name: string
  readonly paranoia: number
  /** `other`: not about requests (flow control, responses), or above the paranoia level asked for. */
  readonly outcome: 'taken' | 'refused' | 'other'
  /** Why it was not taken; empty for those that were. */
  readonly reason: string
  /** In what it differs from the original. */
  readonly notes: readonly string[]
}

export interface CrsImport {
  readonly ruleSet: RuleSet
  readonly report: readonly CrsReportLine[]
}

/** Raised for a directory without rules. */
export class NoCrsRulesError extends Error {
  override readonly name = 'NoCrsRulesError'
}

/** Translates the rules of a directory, or of its folder `rules`. Throws `NoCrsRulesError` where there are none. */
export function importCrs(directory: string, { paranoia }: CrsImportOptions): CrsImport {
  const folder = existsSync(join(directory, 'rules')) ? join(directory, 'rules') : directory
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.conf'))
        .sort()
    : []
  if (files.length === 0) throw new NoCrsRulesError(`there are no .conf files in ${folder}`)
  const rules: Rule[] = []
  const report: CrsReportLine[] = []
  for (const file of files)
    for (const rule of parseSecLang(readFileSync(join(folder, file), 'utf8'))) {
      const line = translated(rule, file, folder, paranoia)
      if (line.rule) rules.push(line.rule)
      report.push(line.report)
    }
  return accepted(rules, report)
}

function translated(
  rule: SecRule,
  file: string,
  folder: string,
  paranoia: number,
): { rule?: Rule; report: CrsReportLine } {
  const own = {
    id: actionOf(rule, 'id') ?? '',
    file,
    name: actionOf(rule, 'msg') ?? '',
    paranoia: paranoiaOf(rule),
    notes: [],
  }
  const other = whyOther(rule, file)
  if (other !== undefined) return { report: { ...own, outcome: 'other', reason: other } }
  if (own.paranoia > paranoia)
    return { report: { ...own, outcome: 'other', reason: `of paranoia level ${own.paranoia}` } }
  const result = translateRule(rule, (name) => phrasesOf(join(folder, name)))
  if ('refused' in result) return { report: { ...own, outcome: 'refused', reason: result.refused } }
  return { rule: result.rule, report: { ...own, outcome: 'taken', reason: '', notes: result.notes } }
}

function whyOther(rule: SecRule, file: string): string | undefined {
  if (/^RESPONSE-/.test(file) || /^[345]$/.test(actionOf(rule, 'phase') ?? '')) return 'judges responses'
  // Rules that skip, set variables or configure have no message, or let the request pass.
  if (actionOf(rule, 'msg') === undefined || actionOf(rule, 'severity') === undefined)
    return 'controls the flow of rules'
  return undefined
}

function phrasesOf(path: string): string[] | undefined {
  if (!existsSync(path)) return undefined
  const lines = readFileSync(path, 'utf8').split(/\r?\n/)
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}

/** Has the engine compile the rules, and reports those that it refuses. Beside ours: it throws where no rule is valid. */
function accepted(rules: readonly Rule[], report: readonly CrsReportLine[]): CrsImport {
  const engine = createEngine([ownRules(), { version: '2.2', rules }])
  const { refused } = engine
  engine.dispose()
  return {
    ruleSet: {
      version: '2.2',
      metadata: { name: 'OWASP Core Rule Set' },
      rules: rules.filter((rule) => !refused.has(rule.id)),
    },
    report: report.map((line) => {
      const reason = refused.get(`owasp-crs-${line.id}`)
      return reason === undefined || line.outcome !== 'taken' ? line : { ...line, outcome: 'refused', reason }
    }),
  }
}
