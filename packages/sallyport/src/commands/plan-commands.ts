/** Commands for rate-limit policies, and for the plans that include them. */
import { type Command, InvalidArgumentError } from 'commander'
import { acting, addRemove, json, type ReadSettings } from './acting.ts'

interface PolicyOptions {
  readonly site: unknown
  readonly perResearcher?: unknown
}

interface PlanOptions {
  readonly policies: readonly string[]
}

const SITE = [
  '--site <limiter>',
  'how it limits a site, as JSON: {"kind": "fixed", "limit": 600, "windowMs": 60000}',
] as const
const PER_RESEARCHER = [
  '--per-researcher <limiter>',
  'how it also limits each researcher on a site, as JSON',
] as const
const POLICIES = ['--policies <names>', 'the policies that it includes, separated by commas'] as const

/** Adds `policies list`, `create`, `change` and `remove`. */
export function addPolicies(group: Command, readSettings: ReadSettings): void {
  json(group.command('list'))
    .description(
      'list the rate-limit policies, with the plans that include them and how many sites they limit',
    )
    .action(acting(readSettings, (operator) => operator.listPolicies()))
  const addCommand = (verb: 'create' | 'change', description: string) =>
    json(group.command(verb))
      .argument('<name>', 'its name')
      .requiredOption(...SITE, readJson)
      .option(...PER_RESEARCHER, readJson)
      .description(description)
      .action(
        acting(readSettings, (operator, { site, perResearcher = null }: PolicyOptions, name) =>
          operator[`${verb}Policy`]({ name, site, perResearcher }),
        ),
      )
  addCommand('create', 'make a rate-limit policy; a plan has to include it before it can be chosen')
  addCommand('change', 'replace the limits of a policy, for every site that has it')
  const words = {
    argument: 'the policy',
    description: 'remove a policy that no plan includes and no site has',
  }
  addRemove(group, readSettings, words, (operator, name) => operator.removePolicy(name))
}

/** Adds `plans list`, `create`, `change` and `remove`. */
export function addPlans(group: Command, readSettings: ReadSettings): void {
  json(group.command('list'))
    .description('list the plans, with how many organizations have them')
    .action(acting(readSettings, (operator) => operator.listPlans()))
  const addCommand = (verb: 'create' | 'change', description: string) =>
    json(group.command(verb))
      .argument('<name>', 'its name')
      .requiredOption(...POLICIES, readNames)
      .description(description)
      .action(
        acting(readSettings, (operator, { policies }: PlanOptions, name) =>
          operator[`${verb}Plan`]({ name, policies }),
        ),
      )
  addCommand('create', 'make a plan')
  addCommand('change', 'replace the policies of a plan; sites keep what they have')
  const words = { argument: 'the plan', description: 'remove a plan that no organization has' }
  addRemove(group, readSettings, words, (operator, name) => operator.removePlan(name))
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It is not JSON.')
  }
}

const readNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
