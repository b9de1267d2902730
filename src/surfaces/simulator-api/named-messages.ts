import { simulationImpossible } from '../../channels/connectors/simulator/simulator.errors.ts'
import { addressesOf } from '../../channels/connectors/simulator/simulator.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { findByProviderId, findMessage, listMessageFacts, messageIdOf } from '../../messaging/messages/messages.ts'
import type { Database } from '../../platform/database/database.ts'

/**
 * Messages as a test names them: by `msg_…`, by the `wamid` of Meta's dialect, which is what a bot knows, or by the one of the
 * network. The simulated network knows what we sent by our id, and what a customer wrote by its own.
 */
export async function nameForNetwork(database: Database, orgId: OrgId, given: string): Promise<string> {
  const id = messageIdOf(given)
  if (id === null) return given
  const row = await findMessage(database, orgId, id)
  return row?.direction === 'inbound' ? (row.provider_id ?? id) : id
}

type Author = { numberId: Id<'num'>; phone: string; given: string }

/** A message that this customer wrote, by the network's id. */
export async function getWritten(database: Database, orgId: OrgId, { numberId, phone, given }: Author) {
  const id = messageIdOf(given) ?? (await findByProviderId(database, orgId, { numberId, providerId: given }))?.id
  const row = id === undefined ? null : await findMessage(database, orgId, id)
  const [facts] = row === null ? [] : await listMessageFacts(database, orgId, [row.id])
  const known = [facts?.phone, ...(facts?.identities ?? []).map(({ value }) => value)].map((one) =>
    one?.replace('+', ''),
  )
  const isAuthor = addressesOf(phone).some((address) => known.includes(address))
  if (row?.direction !== 'inbound' || row.number_id !== numberId || row.provider_id === null || !isAuthor)
    throw simulationImpossible({ says: `This customer did not write the message ${given}.` })
  return { messageId: row.provider_id, type: row.type }
}
