import { type AuditContext, type NewAuditEntry, recordAudit, recordAuditAlone } from '../../accounts/audit.ts'
import { recordAccountAct } from '../../accounts/people/person-audit.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { RequestContext, Route } from '../../platform/http/define-route.ts'
import type { PersonCaller } from './session-caller.ts'

/**
 * The one place at which acts become entries of the audit log: whatever changes something and succeeded, by its operation id.
 * A route with a transaction has its entry in it. One that commits by itself is entered before it is answered; where that
 * fails, the caller hears of a failure, and a repeat is told of the success without an entry. Refused calls change nothing and
 * are not entered, nor are replays of an answer.
 */
export const audited = (context: AuditContext, routes: readonly Route[]): Route[] =>
  routes.map((route) => (isEntered(route) ? withEntry(context, route) : route))

/**
 * Of the public API, all that agents do, and of keys all but the mass of what keys are for: a message, an order, a label and their
 * events say themselves who made them. One entry after the other, each with the hash of the one before, is not for the hot paths,
 * and a program that labels every chat would leave nothing else to see.
 */
export const auditedPublicApi = (context: AuditContext, routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    if (!isEntered(route)) return route
    const entered = withEntry(context, route)
    return isOfTheMass(route) ? { ...route, handle: ofAgents(route, entered) } : entered
  })

const MASS = ['sendMessage', 'createOrder', 'markChatRead', 'updateChat']
const isOfTheMass = ({ id, dialect }: Route) => dialect !== undefined || MASS.includes(id)

const ofAgents =
  (route: Route, entered: Route) =>
  (input: never): unknown =>
    ((input as Handled).caller.type === 'agent' ? entered : route).handle(input)

/** Changes nothing but what the person looks at, or nothing at all. */
const NOT_ENTERED = ['chooseOrganization', 'refuseConnection']

/** What people do to their own account, which opens all of their organizations. */
const OF_THE_ACCOUNT = ['endSession', 'changePassword', 'startTwoFactor', 'confirmTwoFactor', 'endTwoFactor']

const isEntered = ({ id, method, access }: Route) =>
  method !== 'GET' && access.type !== 'open' && !NOT_ENTERED.includes(id)

type Handled = RequestContext & { params: Record<string, string> | undefined; tx?: Tx }

const withEntry = (context: AuditContext, route: Route): Route => ({
  ...route,
  async handle(input: never) {
    const value = await route.handle(input)
    const { caller, params, requestId, address, tx } = input as Handled
    const { id, name = null } = caller
    const subject = subjectOf(params ?? {}, value)
    if (OF_THE_ACCOUNT.includes(route.id)) {
      const { person } = caller as PersonCaller
      await recordAccountAct(context, { person, act: route.id, ...(subject && { subject }), requestId, address })
      return value
    }
    const actor = { type: caller.type, id, name: caller.type === 'key' ? null : name }
    const entry: NewAuditEntry = { actor, act: route.id, subject, requestId, address }
    if (tx === undefined) await recordAuditAlone(context, caller.orgId, entry)
    else await recordAudit(context, tx, caller.orgId, entry)
    return value
  },
})

const ID = /^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/

/** What the path names, else what was made. Other values of a path may be secrets, such as the token of an invitation. */
function subjectOf(params: Record<string, string>, value: unknown): string | null {
  const named = Object.values(params).find((text) => ID.test(text))
  if (named !== undefined) return named
  if (typeof value !== 'object' || value === null) return null
  const made = [value, ...Object.values(value)].find((part) => isIdentified(part))
  return (made as { id: string } | undefined)?.id ?? null
}

const isIdentified = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'id' in part && ID.test(String(part.id))
