import type { AuditContext } from '../accounts/audit/audit.ts'
import type { AccountsContext, LastUsed } from '../accounts/keys/keys.ts'
import type { AuthorizationContext } from '../accounts/oauth/oauth.ts'
import type { PeopleContext } from '../accounts/people/people.ts'
import { isSimulatedChannel } from '../channels/connectors/connectors.ts'
import { listNumbers } from '../channels/numbers/numbers.ts'
import type { OrgId } from '../kernel/ids.ts'
import { listPaymentAccounts, type PaymentAccountsContext } from '../payments/accounts/accounts.ts'
import type { PaymentProviders } from '../payments/connectors/connectors.ts'
import type { Database } from '../platform/database/database.ts'
import type { Route } from '../platform/http/define-route.ts'
import type { Mailer } from '../platform/mail/mail.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { agentRoutes } from '../surfaces/console-api/agents.routes.ts'
import { auditRoutes } from '../surfaces/console-api/audit.routes.ts'
import { connectionRoutes } from '../surfaces/console-api/connections.routes.ts'
import { connectorRoutes } from '../surfaces/console-api/connectors.routes.ts'
import { endpointRoutes } from '../surfaces/console-api/endpoints.routes.ts'
import { createChecklistReader } from '../surfaces/console-api/home/checklist.ts'
import { homeRoutes } from '../surfaces/console-api/home/home.routes.ts'
import { createStatisticsReader } from '../surfaces/console-api/home/statistics.ts'
import { keyRoutes } from '../surfaces/console-api/keys.routes.ts'
import { labelRoutes } from '../surfaces/console-api/labels.routes.ts'
import { logRoutes } from '../surfaces/console-api/logs.routes.ts'
import { mediaRoutes } from '../surfaces/console-api/media/media.routes.ts'
import type { MediaLimitsReader } from '../surfaces/console-api/media/media-limits.ts'
import { messageRoutes } from '../surfaces/console-api/messages.routes.ts'
import { numberRoutes } from '../surfaces/console-api/numbers.routes.ts'
import { paymentAccountRoutes } from '../surfaces/console-api/payment-accounts.routes.ts'
import { peopleRoutes } from '../surfaces/console-api/people.routes.ts'
import { restoredWorkRoutes } from '../surfaces/console-api/restored-work.routes.ts'
import { sandboxRoutes } from '../surfaces/console-api/sandbox.routes.ts'
import { savedViewRoutes } from '../surfaces/console-api/saved-views.routes.ts'
import { settingsRoutes } from '../surfaces/console-api/settings.routes.ts'
import type { Asker } from '../surfaces/console-api/sign-in/auth-question.ts'
import type { Capabilities } from './capabilities.ts'

/** The wiring of the console: passes each of its routes the capabilities it uses. */
export type ConsoleRouteParts = {
  database: Database
  log: Log
  accounts: AccountsContext
  lastUsed: Pick<LastUsed, 'peek'>
  people: PeopleContext
  mailer: Mailer | null
  audit: AuditContext
  publicUrl: string
  capabilities: Capabilities
  paymentAccounts: PaymentAccountsContext
  readMediaLimits: MediaLimitsReader
  /** For programs that connect as agents. */
  authorization: AuthorizationContext
  /** Checks the password of a person who is signed in. */
  ask: Asker
}

/** Everything below /api/console. */
export function consoleRoutes(parts: ConsoleRouteParts): Route[] {
  const { database, log, accounts, lastUsed, people, mailer, publicUrl, audit, capabilities, paymentAccounts } = parts
  const { channels, messaging, orders, outbox } = capabilities
  return [
    ...keyRoutes({ accounts, lastUsed }),
    ...agentRoutes({ ...accounts, lastUsed }),
    ...connectionRoutes({ agents: { ...accounts, lastUsed }, authorization: parts.authorization }),
    ...peopleRoutes({ people, mailer, publicUrl }),
    ...logRoutes({ database, clock: accounts.clock }),
    ...settingsRoutes(),
    ...restoredWorkRoutes(),
    ...sandboxRoutes(capabilities.sandbox),
    ...connectorRoutes({ channels: channels.connectors, payments: paymentAccounts.providers }),
    ...numberRoutes({ channels, wake: (orgIds) => outbox.wake(orgIds) }),
    ...mediaRoutes({ readLimits: parts.readMediaLimits }),
    ...labelRoutes({ database }),
    ...savedViewRoutes({ database, clock: accounts.clock }),
    ...messageRoutes({ database, sender: messaging }),
    ...paymentAccountRoutes({ accounts: paymentAccounts }),
    ...homeRoutes({
      database,
      clock: accounts.clock,
      orders: orders.context,
      readStatistics: createStatisticsReader({ database, log }),
      readChecklist: createChecklistReader(database),
    }),
    ...endpointRoutes(capabilities.webhooks, parts.ask),
    ...auditRoutes(audit),
  ]
}

/** Whether nothing leaves this machine: there are numbers or accounts, and every one is simulated, or the shop's own affair. */
export const createSimulationTest =
  ({ database, providers }: { database: Database; providers: PaymentProviders }) =>
  async (orgId: OrgId): Promise<boolean> => {
    const [numbers, accounts] = await Promise.all([listNumbers(database, orgId), listPaymentAccounts(database, orgId)])
    const connected = numbers.filter(({ state }) => state !== 'disconnected')
    return (
      connected.length + accounts.length > 0 &&
      connected.every(({ connector }) => isSimulatedChannel(connector)) &&
      accounts.every(({ provider, state }) => {
        const { isSimulated, connector } = providers[provider]
        return isSimulated || connector.isLocal || state === 'disabled'
      })
    )
  }
