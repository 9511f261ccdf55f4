/** Commands of the operator. They work on the installation's database, whether it is running or not. */

import { ROLES, type Role } from '@sallyport/contract/words'
import type { OpenOperator } from '@sallyport/control'
import { type Command, InvalidArgumentError } from 'commander'
import { acting, json, type ReadSettings } from './acting.ts'
import { addGateways } from './gateway-commands.ts'
import { addPlans, addPolicies } from './plan-commands.ts'

interface OrganizationOption {
  readonly org: string
}

interface RoleOption extends OrganizationOption {
  readonly role: Role
}

/** What the option takes, in words. */
const ROLE_NAMES = ROLES.join(', ')

/** Adds `organizations`, `credits`, `keys`, `accounts`, `policies`, `gateways`, `plans`, `audit` and `secrets`. */
export function addOperatorCommands(program: Command, readSettings: ReadSettings): void {
  for (const [name, description, add] of GROUPS)
    add(program.command(name).description(description), readSettings)
}

const GROUPS = [
  ['organizations', 'organizations of this installation', addOrganizations],
  ['credits', 'credits of an organization', addCredits],
  ['keys', 'API keys of an organization', addKeys],
  ['accounts', 'accounts that sign in to the console', addAccounts],
  ['policies', 'rate-limit policies of this installation', addPolicies],
  ['gateways', 'gateways that this installation lets in', addGateways],
  ['plans', 'plans, which say what organizations may choose', addPlans],
  ['audit', 'the audit log', addAudit],
  ['secrets', 'what is stored encrypted', addSecrets],
] as const

function addOrganizations(group: Command, readSettings: ReadSettings): void {
  json(group.command('create'))
    .description('make an organization with an owner account and an API key, which are shown once')
    .requiredOption('--name <name>', 'its name')
    .option('--email <address>', "the owner's e-mail address", 'owner@sallyport.local')
    .option('--plan <plan>', 'its plan')
    .action(
      acting(
        readSettings,
        (operator, options: { name: string; email: string; plan?: string }) =>
          operator.createOrganization(options),
        true,
      ),
    )
  json(group.command('list'))
    .description('list the organizations')
    .action(acting(readSettings, (operator) => operator.listOrganizations()))
  json(group.command('plan'))
    .argument('<id>', 'the organization')
    .requiredOption('--plan <plan>', 'the plan')
    .description('give an organization another plan')
    .action(acting(readSettings, (operator, { plan }: { plan: string }, id) => operator.setPlan(id, plan)))
  json(group.command('retention'))
    .argument('<id>', 'the organization')
    .requiredOption('--days <days>', 'for how many days')
    .description('keep the record of an organization for so long, what is recorded already included')
    .action(
      acting(readSettings, (operator, { days }: { days: string }, id) =>
        operator.setRetention(id, Number(days)),
      ),
    )
  for (const [name, isSuspended, description] of [
    ['suspend', true, 'serve nothing of an organization any more'],
    ['resume', false, 'serve a suspended organization again'],
  ] as const)
    json(group.command(name))
      .argument('<id>', 'the organization')
      .description(description)
      .action(acting(readSettings, (operator, _options, id) => operator.setSuspended(id, isSuspended)))
}

function addCredits(group: Command, readSettings: ReadSettings): void {
  json(ofOrganization(group.command('grant')))
    .argument('<amount>', 'how many')
    .requiredOption('--reason <text>', 'why, for the ledger')
    .description('grant credits to an organization')
    .action(
      acting(readSettings, (operator, options: OrganizationOption & { reason: string }, amount) =>
        operator.grantCredits(options.org, Number(amount), options.reason),
      ),
    )
}

function addKeys(group: Command, readSettings: ReadSettings): void {
  json(ofOrganization(group.command('create')))
    .requiredOption('--name <name>', 'what it is for')
    .option('--role <role>', ROLE_NAMES, 'admin')
    .description('make an API key, which is shown once')
    .action(
      acting(readSettings, (operator, options: RoleOption & { name: string }) =>
        operator.createApiKey(options.org, options.name, options.role),
      ),
    )
  addList(group, readSettings, 'list the API keys', (operator, org) => operator.listApiKeys(org))
  json(ofOrganization(group.command('revoke')))
    .argument('<id>', 'the key')
    .description('revoke an API key; it stops working within a second')
    .action(
      acting(readSettings, async (operator, { org }: OrganizationOption, id) => {
        await operator.revokeApiKey(org, id)
        return { revoked: id }
      }),
    )
}

function addAccounts(group: Command, readSettings: ReadSettings): void {
  addPasswordCommand(group, readSettings, 'create', (operator, { org, role }, email) =>
    operator.createAccount(org, email, role),
  )
    .option('--role <role>', ROLE_NAMES, 'admin')
    .description('make an account; its password is shown once')
  addList(group, readSettings, 'list the accounts', (operator, org) => operator.listAccounts(org))
  addPasswordCommand(group, readSettings, 'reset-password', (operator, { org }, email) =>
    operator.resetPassword(org, email),
  ).description('give an account a new password, which is shown once, and end its sessions')
}

/** Adds a command that gives an account of an organization a password. */
const addPasswordCommand = (
  group: Command,
  readSettings: ReadSettings,
  name: string,
  act: (operator: OpenOperator, options: RoleOption, email: string) => Promise<{ readonly password: string }>,
): Command =>
  json(ofOrganization(group.command(name)))
    .argument('<email>', 'the e-mail address')
    .action(
      acting(readSettings, async (operator, options: RoleOption, email) => ({
        email,
        ...(await act(operator, options, email)),
      })),
    )

/** Adds `list`, of what an organization has. */
const addList = (
  group: Command,
  readSettings: ReadSettings,
  description: string,
  list: (operator: OpenOperator, orgId: string) => Promise<object>,
): Command =>
  json(ofOrganization(group.command('list')))
    .description(description)
    .action(acting(readSettings, (operator, { org }: OrganizationOption) => list(operator, org)))

function addAudit(group: Command, readSettings: ReadSettings): void {
  json(group.command('installation'))
    .description('list what was done to the whole installation: rule sets, policies, plans, and by whom')
    .action(acting(readSettings, (operator) => operator.readInstallationLog()))
  json(group.command('verify'))
    .requiredOption('--org <id>', 'the organization, or `installation`')
    .option('--head <hash>', 'a head that was kept from an earlier check', readHead)
    .description('check the hash chain; exits with 1 when an entry was removed, edited or moved')
    .action(
      acting(readSettings, async (operator, options: OrganizationOption & { head?: string }) => {
        const verification = await operator.verifyAuditLog(options.org, options.head)
        if (!verification.isIntact) process.exitCode = 1
        return verification
      }),
    )
}

function addSecrets(group: Command, readSettings: ReadSettings): void {
  json(group.command('reseal'))
    .description('seal everything anew under the present secret key, so that the earlier one can go')
    .action(
      acting(readSettings, async (operator) => {
        const counts = await operator.resealSecrets()
        if (counts.unreadable > 0) process.exitCode = 1
        return counts
      }),
    )
}

/** One that was cut short, or is no hash at all, would look like a log that was changed. */
function readHead(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('It is not 64 hexadecimal digits.')
  return text
}

const ofOrganization = (command: Command): Command => command.requiredOption('--org <id>', 'the organization')
