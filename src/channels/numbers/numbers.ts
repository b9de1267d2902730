import { refuseInSandbox } from '../../accounts/organizations/organizations.ts'
import { isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { acceptBaseUrl, leadsElsewhere } from '../../platform/outbound-http/egress.ts'
import { ensureLane, holdLane, pauseLane, resumeLane, updateLane } from '../../platform/outbox/lanes.ts'
import type { ChannelConnector } from '../channel-connector.ts'
import type { ChannelsContext } from '../channels-context.ts'
import {
  acceptConnector,
  acceptFields,
  acceptInput,
  type Credentials,
  generateMissing,
  knownCredentials,
  refuseUnrepeated,
  sealCredentials,
} from './number-input.ts'
import { numberLanes, sendLaneOf, sendLaneSettings } from './number-lanes.ts'
import { traitsOf } from './number-traits.ts'
import { numberAlreadyConnected, numberDisconnected, numberMissing, numberNotFound } from './numbers.errors.ts'
import {
  NewNumber,
  type NewNumberInput,
  NumberChange,
  type NumberChangeInput,
  type NumberState,
} from './numbers.schemas.ts'
import {
  clearDefaultNumber,
  deleteNumberRoute,
  deleteUploadsOf,
  findDefaultNumber,
  findNumberByPhoneNumberId,
  findNumber as findRow,
  insertNumber,
  insertNumberRoute,
  listNumbers as listRows,
  lockNumber,
  moveNumber,
  type NewNumberRow,
  type NumberRow,
  reconnectNumber,
  updateNumberDetails,
} from './numbers.sql.ts'

/**
 * Business numbers.
 *
 *   (create) ──▶ connected                      sends and receives
 *   connected ── pause, or trouble with the account ──▶ paused      receives; what is to be sent waits
 *   paused ── resume ──▶ connected
 *   connected, paused ── delete ──▶ disconnected                    neither; its credentials are gone, its chats stay
 *   disconnected ── create with the same phone_number_id ──▶ connected, under the same id
 *
 * What still waits to be sent when a number is disconnected is let go, so that each message ends as failed instead of
 * waiting for ever: a send asks for the number first and finds that it cannot be opened.
 */
export type BusinessNumber = NumberRow

export type CreatedNumber = {
  number: BusinessNumber
  /** Credentials that were made up here. They are in no answer but this one. */
  generated: Credentials
}

export async function createNumber(
  context: ChannelsContext,
  tx: Tx,
  orgId: OrgId,
  given: NewNumberInput,
): Promise<CreatedNumber> {
  const input = acceptInput(NewNumber, given)
  const connector = acceptConnector(context.connectors, input.connector)
  if (!connector.isSimulated) await refuseInSandbox(tx, orgId, connector.name)
  const generated = generateMissing(connector, input.credentials)
  const fields = acceptFields(connector, { ...input, credentials: { ...input.credentials, ...generated } })
  const existing = await findNumberByPhoneNumberId(tx, orgId, input.phone_number_id)
  const id = existing?.id ?? newId('num', context.clock.now())
  const row: NewNumberRow = {
    id,
    connector: connector.name,
    phone_number_id: input.phone_number_id,
    display_phone: input.display_phone,
    name: input.name ?? input.display_phone,
    base_url: acceptBaseUrl(input.base_url ?? null, urlRules(context)),
    sealed_credentials: sealCredentials(context.secretBox, id, fields.credentials),
    settings: fields.settings,
    is_default: input.is_default ?? false,
    created_at: new Date(context.clock.now()),
  }
  await prepareLanes(tx, { ...row, org_id: orgId }, connector)
  if (row.is_default) await clearDefaultNumber(tx, orgId, id)
  const number = await (existing === null ? insertNumber(tx, orgId, row) : reconnectNumber(tx, orgId, row))
  if (number === null) throw numberAlreadyConnected({ params: { phone_number_id: row.phone_number_id } })
  await claimRoute(tx, number, connector)
  // Another account may be behind it now, or another network, and neither knows the other's files.
  if (existing !== null) await deleteUploadsOf(tx, orgId, id)
  return { number, generated }
}

const urlRules = ({ egress }: ChannelsContext) => ({ egress, example: 'https://graph.facebook.com' })

/** A real number of another organization is refused, whatever the credentials say. */
async function claimRoute(tx: Tx, number: BusinessNumber, { name, traits }: ChannelConnector): Promise<void> {
  const address = traits.isNumberIdGlobal ? number.phone_number_id : null
  const route = { number_id: number.id, org_id: number.org_id, connector: name, address }
  if ((await insertNumberRoute(tx, route)) === 0)
    throw numberAlreadyConnected({ params: { phone_number_id: number.phone_number_id } })
}

/** Before the row, as everywhere: an acknowledgement locks the lane first. Of a number that comes back they are there. */
async function prepareLanes(tx: Tx, row: NewNumberRow & { org_id: OrgId }, connector: ChannelConnector): Promise<void> {
  const traits = traitsOf(connector, row.settings)
  for (const lane of numberLanes(row, traits)) await ensureLane(tx, lane)
  await updateLane(tx, { orgId: row.org_id, id: sendLaneOf(row.id) }, sendLaneSettings(row, traits), row.created_at)
}

export const listNumbers = (queries: Queries, orgId: OrgId): Promise<BusinessNumber[]> => listRows(queries, orgId)

/** By its id, its phone_number_id or its phone in international format. */
export async function findNumberByReference(
  queries: Queries,
  orgId: OrgId,
  reference: string,
): Promise<BusinessNumber | null> {
  const numbers = (await listRows(queries, orgId)).filter(({ state }) => state !== 'disconnected')
  const digits = reference.replaceAll(/\D/g, '')
  return (
    numbers.find(({ id, phone_number_id }) => id === reference || phone_number_id === reference) ??
    numbers.find(({ display_phone }) => digits !== '' && display_phone.replaceAll(/\D/g, '') === digits) ??
    null
  )
}

/** Also a disconnected one: chats still show it. */
export const findNumber = async (queries: Queries, orgId: OrgId, id: string): Promise<BusinessNumber | null> =>
  isId('num', id) ? findRow(queries, orgId, id) : null

export async function getNumber(queries: Queries, orgId: OrgId, id: string): Promise<BusinessNumber> {
  const number = await findNumber(queries, orgId, id)
  if (number === null) throw numberNotFound({ params: { id } })
  return number
}

/** The network's id of the number, or ours: what a caller may name a number by. */
export const findByPhoneNumberId = (
  queries: Queries,
  orgId: OrgId,
  phoneNumberId: string,
): Promise<BusinessNumber | null> => findNumberByPhoneNumberId(queries, orgId, phoneNumberId)

/** The number that messages leave from when none is named. */
export async function getDefaultNumber(queries: Queries, orgId: OrgId): Promise<BusinessNumber> {
  const number = await findDefaultNumber(queries, orgId)
  if (number === null) throw numberMissing()
  return number
}

/** Credentials are replaced one by one: what is not named stays, so that a token can be rotated alone, at the same address. */
export async function updateNumber(
  context: ChannelsContext,
  tx: Tx,
  orgId: OrgId,
  { id, change: given }: { id: string; change: NumberChangeInput },
): Promise<BusinessNumber> {
  const change = acceptInput(NumberChange, given)
  const now = new Date(context.clock.now())
  const before = await lockConnected(tx, orgId, id)
  const connector = acceptConnector(context.connectors, before.connector)
  const credentials = knownCredentials(context.secretBox, before.id, before.sealed_credentials as string)
  const baseUrl = change.base_url === undefined ? before.base_url : acceptBaseUrl(change.base_url, urlRules(context))
  if (leadsElsewhere(before.base_url, baseUrl))
    refuseUnrepeated(connector, { known: credentials, given: change.credentials })
  const fields = acceptFields(connector, {
    credentials: merge(credentials, change.credentials) as Credentials,
    settings: merge(before.settings, change.settings),
  })
  if (change.is_default) await clearDefaultNumber(tx, orgId, before.id)
  const after = await updateNumberDetails(tx, orgId, {
    id: before.id,
    now,
    details: {
      display_phone: change.display_phone ?? before.display_phone,
      name: change.name ?? before.name,
      base_url: baseUrl,
      sealed_credentials: sealCredentials(context.secretBox, before.id, fields.credentials),
      settings: fields.settings,
      is_default: change.is_default ?? before.is_default,
    },
  })
  await updateLane(
    tx,
    { orgId, id: sendLaneOf(after.id) },
    sendLaneSettings(after, traitsOf(connector, after.settings)),
    now,
  )
  const isElsewhere = Object.keys(change.credentials).length > 0 || change.base_url !== undefined
  if (isElsewhere) await deleteUploadsOf(tx, orgId, after.id)
  return after
}

/** Null takes away. */
function merge(before: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value != null))
}

/**
 * For a caller that looks before it changes anything: the lane before the row, as an acknowledgement does.
 */
export async function holdNumber(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await getNumber(tx, orgId, id)
  await holdLane(tx, { orgId, id: sendLaneOf(id) })
  await lockNumber(tx, orgId, id)
}

/** The lane before the row, as an acknowledgement does. */
async function lockConnected(tx: Tx, orgId: OrgId, id: string): Promise<BusinessNumber> {
  await getNumber(tx, orgId, id)
  await holdLane(tx, { orgId, id: sendLaneOf(id) })
  const before = await lockNumber(tx, orgId, id)
  if (before === null) throw numberNotFound({ params: { id } })
  if (before.state === 'disconnected') throw numberDisconnected({ params: { id } })
  return before
}

type Move = { id: string; from: NumberState[]; to: NumberState; reason: string | null }

/**
 * The lane before the row, as an acknowledgement does. A request for the current state changes nothing,
 * and an earlier reason stays.
 */
export async function pauseNumber(
  context: ChannelsContext,
  tx: Tx,
  orgId: OrgId,
  { id, reason }: { id: string; reason: string },
): Promise<BusinessNumber> {
  const before = await getNumber(tx, orgId, id)
  if (before.state === 'disconnected') throw numberDisconnected({ params: { id } })
  if (before.state === 'paused') return before
  await pauseLane(tx, { orgId, id: sendLaneOf(before.id) }, { reason })
  await context.onPaused?.(tx, orgId, before.id)
  return move(context, tx, orgId, { id, from: ['connected'], to: 'paused', reason })
}

/** Wake the outbox for the organization after the commit. */
export async function resumeNumber(
  context: ChannelsContext,
  tx: Tx,
  orgId: OrgId,
  { id }: { id: string },
): Promise<BusinessNumber> {
  const before = await getNumber(tx, orgId, id)
  if (before.state === 'disconnected') throw numberDisconnected({ params: { id } })
  await resumeLane(tx, { orgId, id: sendLaneOf(before.id) })
  return move(context, tx, orgId, { id, from: ['paused'], to: 'connected', reason: null })
}

export async function deleteNumber(
  context: ChannelsContext,
  tx: Tx,
  orgId: OrgId,
  { id }: { id: string },
): Promise<BusinessNumber> {
  const before = await getNumber(tx, orgId, id)
  await resumeLane(tx, { orgId, id: sendLaneOf(before.id) })
  await deleteNumberRoute(tx, before.id)
  return move(context, tx, orgId, { id, from: ['connected', 'paused'], to: 'disconnected', reason: 'deleted' })
}

/** What another did in the meantime counts as done. */
async function move({ clock }: ChannelsContext, tx: Tx, orgId: OrgId, change: Move): Promise<BusinessNumber> {
  const moved = await moveNumber(tx, orgId, { ...change, now: new Date(clock.now()) })
  return moved ?? getNumber(tx, orgId, change.id)
}

export { accountIdOf } from './number-account.ts'
export { createNumberDirectory, type NumberDirectory, type NumberEntry } from './number-directory.ts'
export { createNumberHealth, type NumberHealth } from './number-health.ts'
export { inboundLaneOf, mediaLaneOf, numberOfLane, sendLaneOf } from './number-lanes.ts'
export { presentNumber } from './number-view.ts'
export {
  clearNumberError,
  deleteOldReports,
  findUpload,
  insertReport,
  type NumberReport,
  saveNumberReport,
  upsertUpload,
} from './numbers.sql.ts'
export { createOpenedNumbers, type OpenedNumber, type OpenedNumbers } from './opened-numbers.ts'
