import '../app.ts'
import { getOrganizationBySlug } from '../accounts/organizations/organizations.ts'
import { findNumberId } from '../boot/capabilities.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import { configuredEgress, webhookSecretBox } from '../boot/settings.ts'
import { VERSION } from '../boot/version.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { ProblemError } from '../kernel/errors.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { createHandshake } from '../webhooks/endpoints/endpoints.ts'
import { vetUrl } from '../webhooks/management/management.ts'
import type { WebhooksContext } from '../webhooks/webhooks-context.ts'
import { type CommandValues, UsageError } from './framework/command.ts'
import { createCommandAudit, type EnterAct } from './framework/command-audit.ts'
import { withDatabase } from './framework/connection.ts'

/** The operations on webhooks for a command. The wiring is imported because it declares all types of events. */
export type WebhooksWork<Result> = (context: WebhooksContext, orgId: OrgId, enter: EnterAct) => Promise<Result>

export function withWebhooks<Result>(values: CommandValues, work: WebhooksWork<Result>): Promise<Result> {
  return withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, String(values.org))
    const enter = await createCommandAudit(database, config)
    const context = await contextFor(database, config)
    const url = values.url === undefined ? undefined : String(values.url)
    return vetUrl(url, context.egress)
      .then(() => work(context, organization.id, enter))
      .catch(explainFields)
  })
}

/** A command delivers nothing: a running server finds new work within a second. */
const contextFor = async (database: Database, config: Config): Promise<WebhooksContext> => ({
  database,
  clock: systemClock,
  secretBox: webhookSecretBox(await loadSecretKey(database, config)),
  egress: configuredEgress(config),
  wake: () => {},
  shakeHands: createHandshake({ egress: configuredEgress(config), clock: systemClock, userAgent: `Nexkit/${VERSION}` }),
  findNumber: findNumberId,
})

/** The sentence of a problem refers to its fields, which a terminal does not show. */
function explainFields(error: unknown): never {
  const fields = error instanceof ProblemError ? (error.options.errors ?? []) : []
  if (fields.length === 0) throw error
  throw new UsageError(fields.map((field) => field.detail).join(' '))
}
