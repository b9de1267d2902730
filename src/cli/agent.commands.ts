import { getOrganizationBySlug } from '../accounts/organizations/organizations.ts'
import type { AgentView, NewAgentInput } from '../agents/records/agents.schemas.ts'
import {
  type AgentsContext,
  type CreatedAgent,
  createAgent,
  endAgent,
  listAgents,
  pauseAgent,
  pauseEveryAgent,
  resumeAgent,
  rotateAgentToken,
} from '../agents/records/records.ts'
import { agentOperationNames, type Decision, factsOf } from '../agents/rules/rules.ts'
import { accountsContext } from '../boot/contexts.ts'
import { systemClock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { agentScopes, type Scope } from '../kernel/scopes.ts'
import type { Tx } from '../platform/database/database.ts'
import {
  type CommandValues,
  defineCommand,
  jsonOption,
  orgOption,
  readInteger,
  readName,
  UsageError,
} from './framework/command.ts'
import { createCommandAudit } from './framework/command-audit.ts'
import { withDatabase } from './framework/connection.ts'
import { readExpiry, readNames, readScopes } from './framework/flags.ts'
import { printJson, printLine, printList, printNote, relativeTime } from './framework/output.ts'

/** AI agents, for the operator. Reach and finer rules are set in the console. */
const agentArgument = { name: 'agent', help: 'id of the agent, agt_…', isRequired: true }
const operations = `comma list of ${agentOperationNames.join(', ')}`

export const agentCommands = [
  defineCommand({
    name: 'agent create',
    summary: 'Create an AI agent and print its token once',
    details:
      'Changes that are neither in --allow nor in --deny need the approval of a person in the console. Reach, limits and rules by amount are set there too.',
    examples: ['npx nexkit agent create --org demo-store --name "Front desk" --scopes chats:read,messages:send'],
    options: {
      org: orgOption,
      name: { type: 'string', help: 'name of the agent', placeholder: 'name', isRequired: true },
      scopes: {
        type: 'string',
        help: `"all", or a comma list of ${agentScopes.join(', ')}`,
        placeholder: 'a,b|all',
        isRequired: true,
      },
      purpose: { type: 'string', help: 'what the agent is for', placeholder: 'text' },
      allow: { type: 'string', help: `changes that need no approval: ${operations}`, placeholder: 'a,b' },
      deny: { type: 'string', help: 'changes that are never allowed, from the same list', placeholder: 'a,b' },
      'expires-in': { type: 'string', help: 'lifetime, such as 12h (default 90d)', placeholder: 'time' },
      'messages-per-minute': {
        type: 'string',
        help: 'messages per minute without approval, or "none" for no limit (default 10)',
        placeholder: 'n|none',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const input = readAgent(values)
      const created = await changing(
        values,
        { command: 'agent create', act: 'createAgent' },
        ({ context, tx, orgId }) => createAgent(context, tx, orgId, { input, owner: null, ...BY }),
      )
      printToken(values, created)
    },
  }),
  defineCommand({
    name: 'agent list',
    summary: 'List the AI agents of an organization',
    examples: ['npx nexkit agent list --org demo-store'],
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const agents = await withDatabase(async (database) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        return listAgents(accountsContext(database, systemClock), organization.id)
      })
      const now = systemClock.now()
      const since = (text: string | null) => relativeTime(text === null ? null : new Date(text), now)
      printList(values, {
        data: agents,
        rows: agents.map((agent) => ({
          ID: agent.id,
          NAME: agent.name,
          STATE: agent.state,
          SCOPES: agent.scopes.join(','),
          ALLOWED: allowedOf(agent).join(',') || 'nothing without approval',
          'LAST USED': since(agent.last_used_at),
          EXPIRES: agent.expires_at === null ? 'never' : since(agent.expires_at),
          'CONNECTED AS': connectedAs(agent),
        })),
        none: `There are no agents yet. Create one with: npx nexkit agent create --org ${values.org} --name "Front desk" --scopes chats:read,messages:send`,
      })
    },
  }),
  defineCommand({
    name: 'agent pause',
    summary: 'Pause an AI agent, or all of them',
    details: 'Takes effect with the next call. Pending requests of a paused agent cannot be approved.',
    examples: [
      'npx nexkit agent pause agt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store',
      'npx nexkit agent pause --all --org demo-store',
    ],
    arguments: [{ ...agentArgument, isRequired: false }],
    options: { org: orgOption, all: { type: 'boolean', help: 'every agent of the organization' }, json: jsonOption },
    async run({ values, arguments: [id] }) {
      if (values.all !== true && id === undefined) throw new UsageError('Name an agent, or give --all.')
      if (values.all !== true) return act(values, String(id), PAUSE)
      const all = { command: 'agent pause --all', act: 'pauseAllAgents' }
      const paused = await changing(values, all, ({ context, tx, orgId }) => pauseEveryAgent(context, tx, orgId))
      if (values.json) return printJson({ object: 'agents', paused })
      printLine(paused === 1 ? 'One agent is paused.' : `${paused} agents are paused.`)
    },
  }),
  defineCommand({
    name: 'agent resume',
    summary: 'Resume a paused AI agent',
    examples: ['npx nexkit agent resume agt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [agentArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) => act(values, String(id), RESUME),
  }),
  defineCommand({
    name: 'agent end',
    summary: 'End an AI agent for good and revoke its token',
    details: 'The token stops working on every process within a second.',
    examples: ['npx nexkit agent end agt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [agentArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) => act(values, String(id), END),
  }),
  defineCommand({
    name: 'agent rotate-token',
    summary: 'Replace the token of an AI agent and print the new one once',
    details: 'The old token stops working at once.',
    examples: ['npx nexkit agent rotate-token agt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [agentArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const entry = { command: 'agent rotate-token', act: 'rotateAgentToken' }
      const created = await changing(values, entry, ({ context, tx, orgId }) =>
        rotateAgentToken(context, tx, orgId, { id: String(id), ...BY }),
      )
      printToken(values, created)
    },
  }),
]

/** Most have a token that was pasted into their program. */
const connectedAs = ({ connection }: AgentView): string =>
  connection === null ? '-' : `${connection.client_name} (${connection.client_host})`

const BY = { by: 'cli', initiator: null }

type Ground = { context: AgentsContext; tx: Tx; orgId: OrgId }
type Entry = { command: string; act: string }
type Act = Entry & { done: string; run: (ground: Ground, id: string) => Promise<AgentView> }

const PAUSE: Act = {
  command: 'agent pause',
  act: 'pauseAgent',
  done: 'is paused',
  run: ({ context, tx, orgId }, id) => pauseAgent(context, tx, orgId, id),
}
const RESUME: Act = {
  command: 'agent resume',
  act: 'resumeAgent',
  done: 'is resumed',
  run: ({ context, tx, orgId }, id) => resumeAgent(context, tx, orgId, id),
}
const END: Act = {
  command: 'agent end',
  act: 'endAgent',
  done: 'is ended, and its token is revoked',
  run: ({ context, tx, orgId }, id) => endAgent(context, tx, orgId, { id, ...BY }),
}

async function act(values: CommandValues, id: string, { done, run, ...entry }: Act): Promise<void> {
  const agent = await changing(values, entry, (ground) => run(ground, id))
  if (values.json) return printJson(agent)
  printLine(`Agent "${agent.name}" ${done}.`)
}

/** With its entry in the audit log, last in the same transaction. */
const changing = <Done>(
  values: CommandValues,
  { command, act: name }: Entry,
  change: (ground: Ground) => Promise<Done>,
): Promise<Done> =>
  withDatabase(async (database, config) => {
    const { id: orgId } = await getOrganizationBySlug(database, String(values.org))
    const enter = await createCommandAudit(database, config)
    const context = accountsContext(database, systemClock)
    return database.transaction(async (tx) => {
      const done = await change({ context, tx, orgId })
      await enter(tx, orgId, { command, act: name, subject: subjectOf(done) ?? orgId })
      return done
    })
  })

function subjectOf(done: unknown): string | null {
  if (typeof done !== 'object' || done === null) return null
  const { agent = done } = done as { agent?: object }
  return (agent as { id?: string }).id ?? null
}

function readAgent(values: CommandValues): NewAgentInput {
  const scopes = readScopes(String(values.scopes), agentScopes)
  const allowed = readRules(values.allow, 'allow')
  for (const { operation } of allowed) assertWithin(scopes, operation)
  const rules = [...allowed, ...readRules(values.deny, 'deny')]
  assertOneEach(rules)
  return {
    name: readName(values),
    scopes,
    rules,
    ...(values.purpose !== undefined && { purpose: String(values.purpose) }),
    ...(values['expires-in'] !== undefined && { expires_at: readExpiry(String(values['expires-in'])).toISOString() }),
    ...readLimits(values['messages-per-minute']),
  }
}

/** Refuses an allowed operation whose scope is missing: the agent could never call it. */
function assertWithin(scopes: readonly Scope[], operation: string): void {
  const { scope } = factsOf(operation)
  if (!scopes.includes(scope))
    throw new UsageError(`"${operation}" needs the scope ${scope}. Add it to --scopes, or leave it out of --allow.`)
}

/** Refuses an operation that is named twice: the last rule would silently win. */
function assertOneEach(rules: readonly { operation: string }[]): void {
  const operations = rules.map(({ operation }) => operation)
  const twice = operations.find((operation, index) => operations.indexOf(operation) !== index)
  if (twice !== undefined) throw new UsageError(`"${twice}" has two rules. Name it once, in --allow or in --deny.`)
}

function readLimits(given: unknown): Pick<NewAgentInput, 'limits'> {
  if (given === undefined) return {}
  const perMinute =
    given === 'none' ? null : readInteger('messages-per-minute', String(given), [1, 100_000], ', or none')
  return { limits: { messages_per_minute: perMinute } }
}

const readRules = (given: unknown, decision: Decision) =>
  given === undefined
    ? []
    : readNames(String(given), { known: agentOperationNames, what: 'operation' }).map((operation) => ({
        operation,
        decision,
      }))

const allowedOf = ({ rules }: AgentView) =>
  rules
    .filter(({ decision }) => decision === 'allow')
    .map(({ operation, ask_above }) => (ask_above === null ? operation : `${operation}<=${ask_above}`))

function printToken(values: CommandValues, { agent, token }: CreatedAgent): void {
  if (values.json) {
    printJson({ token, ...agent })
    return
  }
  printLine(token)
  printNote(`Agent "${agent.name}" (${agent.id}). Copy the token above now. You won't be able to see it again.`)
}
