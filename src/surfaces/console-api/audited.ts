import { isDeepStrictEqual } from 'node:util'
import {
  type AuditChange,
  type AuditContext,
  type NewAuditEntry,
  recordAudit,
  recordAuditAlone,
  recordAudits,
} from '../../accounts/audit/audit.ts'
import { recordAccountAct } from '../../accounts/people/people.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Companion, CompanionOf } from '../../platform/database/companions.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { RequestContext, Route } from '../../platform/http/define-route.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { maskUrl } from '../../webhooks/endpoints/endpoints.ts'
import type { PersonCaller } from './sign-in/session-caller.ts'

/**
 * The one place at which acts become entries of the audit log: whatever changes something and succeeded, by its operation id.
 * The entry is in the transaction of the act: in the one that the pipeline gave the route, or, for routes that commit their
 * requests in groups, as a companion of the effect. What is left are routes of the console that have neither; they are entered
 * before they are answered. Refused calls change nothing and are not entered, nor are replays of an answer.
 */
export const audited = (context: AuditContext, routes: readonly Route[]): Route[] =>
  routes.map((route) => (isEntered(route) ? withEntry(context, route, routes) : route))

/**
 * Of the public API, all that agents do, and of keys all but the mass of what keys are for: a message, an order, a label and their
 * events already name their creator. A program that labels every chat would leave nothing else to see.
 */
export const auditedPublicApi = (context: AuditContext, routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    if (!isEntered(route)) return route
    const entered = withEntry(context, route, routes)
    return isOfTheMass(route) ? { ...route, handle: ofAgents(route, entered) } : entered
  })

const MASS = ['sendMessage', 'createOrder', 'markChatRead', 'updateChat']
const isOfTheMass = ({ id, dialect, tag }: Route) => dialect !== undefined || tag === 'Simulator' || MASS.includes(id)

const ofAgents =
  (route: Route, entered: Route) =>
  (input: Handled): unknown =>
    handleBy(input.caller.type === 'agent' ? entered : route, input)

/** Operations that change only the person's view, or nothing at all, and those of platforms, which enter it themselves. */
const NOT_ENTERED = [
  'chooseOrganization',
  'refuseConnection',
  'startPasskey',
  'replaceSavedViews',
  'createOrganization',
  'updateOrganizationById',
  'suspendOrganization',
  'resumeOrganization',
]

/** Operations on a person's own account, which opens all of their organizations. */
const OF_THE_ACCOUNT = [
  'endSession',
  'changePassword',
  'startTwoFactor',
  'confirmTwoFactor',
  'endTwoFactor',
  'addPasskey',
  'renamePasskey',
  'deletePasskey',
]

const isEntered = ({ id, method, access }: Route) =>
  method !== 'GET' && access.type !== 'open' && !NOT_ENTERED.includes(id)

type Handled = RequestContext<Caller | PersonCaller> & {
  params: Record<string, string> | undefined
  body?: unknown
  tx?: Tx
  companion?: CompanionOf
}

/** A route no longer says what its handler takes; the pipeline's own input, and anything added to it, is that. */
const handleBy = (route: Route, input: Handled): unknown => route.handle(input as never)

const withEntry = (context: AuditContext, route: Route, routes: readonly Route[]): Route =>
  route.idempotency === 'own' || route.isOwnChange
    ? withCompanion(context, route)
    : withEntryAfter(context, route, readerOf(route, routes))

type Entered = { orgId: OrgId; entry: NewAuditEntry }

const writeEntries = (context: AuditContext) => async (tx: Tx, items: readonly unknown[]) => {
  const ofOrg = Map.groupBy(items as readonly Entered[], ({ orgId }) => orgId)
  for (const [orgId, entered] of ofOrg)
    recordAudits(
      context,
      tx,
      orgId,
      entered.map(({ entry }) => entry),
    )
}

function withCompanion(context: AuditContext, route: Route): Route {
  const write = writeEntries(context)
  return {
    ...route,
    async handle(input: Handled) {
      const { caller, params } = input
      let isEntered = false
      const companion = (createdId: string): Companion => {
        isEntered = true
        const subject = subjectOf(params ?? {}, null) ?? createdId
        return { write, item: { orgId: caller.orgId, entry: entryOf(route, input, subject) } satisfies Entered }
      }
      const value = await handleBy(route, { ...input, companion })
      if (!isEntered) throw new Error(`route ${route.id} committed without its companion`)
      return value
    },
  }
}

function entryOf({ id: act }: Route, input: Handled, subject: string | null): NewAuditEntry {
  const { caller, requestId, address } = input
  const { type, id, name = null } = caller
  return { actor: { type, id, name: type === 'key' ? null : name }, act, subject, requestId, address }
}

type Fields = Record<string, unknown>
type Reader = (input: Handled) => Promise<Fields | null>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** What is written about customers can be erased; the audit log cannot. */
const OF_CUSTOMERS = ['Chats', 'Contacts', 'Orders']

/** Of an edit: how its path, or the list above it, shows the thing. What the API does not show, such as a token, is not read. */
function readerOf({ method, path, tag }: Route, routes: readonly Route[]): Reader | null {
  if (method !== 'PATCH' || OF_CUSTOMERS.includes(tag)) return null
  const readable = (wanted: string) => routes.find((other) => other.method === 'GET' && other.path === wanted)
  const one = readable(path)
  const list = one === undefined && path.endsWith('/{id}') ? readable(path.slice(0, -'/{id}'.length)) : undefined
  const reading = one ?? list
  if (reading === undefined || reading.query !== undefined) return null
  return async (input) => {
    const value = await handleBy(reading, { ...input, body: undefined, headers: [] })
    if (!isFields(value)) return null
    if (one !== undefined) return value
    const listed = Object.values(value).flatMap((part): unknown[] => (Array.isArray(part) ? part : []))
    return listed.filter(isFields).find(({ id }) => id === input.params?.id) ?? null
  }
}

const TEXT_MAX = 1000

/** Tokens in a URL are masked, because an entry is never deleted. */
const textOf = (value: unknown): string => {
  const isUrl = typeof value === 'string' && /^https?:/i.test(value)
  const text = isUrl ? maskUrl(value) : typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text
}

/** The fields that the request named and that are shown otherwise than before. */
const changesOf = (before: Fields | null, { body, value }: { body: unknown; value: unknown }): AuditChange[] =>
  before === null || !isFields(body) || !isFields(value)
    ? []
    : Object.keys(body)
        .filter((field) => field in before && field in value && !isDeepStrictEqual(before[field], value[field]))
        .map((field) => ({ field, before: textOf(before[field]), after: textOf(value[field]) }))

const withEntryAfter = (context: AuditContext, route: Route, read: Reader | null): Route => ({
  ...route,
  async handle(input: Handled) {
    const { caller, params, requestId, address, tx } = input
    // The lock that every change of the thing takes: two edits at once are entered one after the other, as they happen.
    if (read !== null && tx !== undefined) await route.lock?.(tx, input as never)
    const before = read === null ? null : await read(input)
    const value = await handleBy(route, input)
    const subject = subjectOf(params ?? {}, value)
    if (OF_THE_ACCOUNT.includes(route.id) && 'person' in caller) {
      const { person } = caller
      await recordAccountAct(context, { person, act: route.id, ...(subject && { subject }), requestId, address })
      return value
    }
    const entry = { ...entryOf(route, input, subject), changes: changesOf(before, { body: input.body, value }) }
    if (tx === undefined) await recordAuditAlone(context, caller.orgId, entry)
    else recordAudit(context, tx, caller.orgId, entry)
    return value
  },
})

const ID = /^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/

/**
 * The resource that the path names, else the created one. Other values of a path may be secrets, such as the token of
 * an invitation.
 */
function subjectOf(params: Record<string, string>, value: unknown): string | null {
  const named = Object.values(params).find((text) => ID.test(text))
  if (named !== undefined) return named
  if (typeof value !== 'object' || value === null) return null
  const created = [value, ...Object.values(value)].find(isIdentified)
  return created?.id ?? null
}

const isIdentified = (part: unknown): part is { id: string } =>
  typeof part === 'object' && part !== null && 'id' in part && typeof part.id === 'string' && ID.test(part.id)
