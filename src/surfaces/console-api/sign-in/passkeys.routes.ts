import { z } from 'zod'
import {
  passkeyLimitReached,
  passkeyNotFound,
  passkeyRefused,
  passwordWrong,
  signInThrottled,
} from '../../../accounts/people/people.errors.ts'
import {
  findPasskeyOwner,
  listPasskeys,
  markPasskeyUsed,
  PASSKEYS_MAX,
  type PasskeyRow,
} from '../../../accounts/people/people.ts'
import { defineRoute, open, type Route } from '../../../platform/http/define-route.ts'
import { textSchema } from '../../../platform/http/schemas.ts'
import type { AccountRecord } from './account-record.ts'
import {
  NewPasskey,
  PasskeyAnswer,
  PasskeyName,
  Passkeys,
  PasskeyView,
  PasswordProof,
  SignInResult,
  WebAuthnOptions,
} from './auth.schemas.ts'
import { type Asker, type AuthRouteParts, admittedPerson, authShared, noReply } from './auth-question.ts'
import { passwordProblem } from './password-problem.ts'
import { session } from './session-caller.ts'
import type { SignInGuard } from './sign-in-guard.ts'

/** Passkeys: added with the password, then a way in without it. */
export type PasskeyParts = { parts: AuthRouteParts; ask: Asker; guard: SignInGuard; record: AccountRecord }

const params = z.object({ id: textSchema(40, 1) })
const example = {
  id: 'psk_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'Sari’s phone',
  is_synced: true,
  created_at: '2026-11-14T09:30:00.000Z',
  last_used_at: null,
}
const options = { challenge: '…' }

const viewOf = (row: PasskeyRow): z.input<typeof PasskeyView> => ({
  id: row.id,
  name: row.name,
  is_synced: row.is_backed_up,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

export const passkeyRoutes = ({ parts, ask, guard, record }: PasskeyParts): Route[] => [
  ...passkeySignInRoutes({ parts, ask, guard, record }),
  defineRoute({
    ...authShared,
    id: 'listPasskeys',
    method: 'GET',
    path: '/passkeys',
    summary: 'Your passkeys',
    access: session(null),
    reply: { status: 200, body: Passkeys },
    example: { reply: { data: [example] } },
    handle: async ({ caller }) => ({ data: (await listPasskeys(parts.people.database, caller.id)).map(viewOf) }),
  }),
  defineRoute({
    ...authShared,
    id: 'startPasskey',
    method: 'POST',
    path: '/passkeys/options',
    summary: 'Begin to add a passkey',
    access: session(null),
    body: PasswordProof,
    reply: { status: 200, body: WebAuthnOptions },
    errors: [passwordWrong, passkeyLimitReached],
    showsSecret: true,
    example: { body: { password: 'correct horse battery' }, reply: options },
    async handle({ body, caller, ...asked }) {
      const proof = await ask(asked, { method: 'POST', path: '/verify-password', body })
      if (proof.status !== 200) throw passwordProblem(proof, 'password')
      if ((await listPasskeys(parts.people.database, caller.id)).length >= PASSKEYS_MAX) throw passkeyLimitReached()
      const answer = await ask(asked, { method: 'GET', path: '/passkey/generate-register-options' })
      return { ...answer.body }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'addPasskey',
    method: 'POST',
    path: '/passkeys',
    summary: 'Add a passkey',
    access: session(null),
    body: NewPasskey,
    reply: { status: 201, body: PasskeyView },
    errors: [passkeyRefused],
    showsSecret: true,
    example: { body: { name: example.name, response: {} }, reply: example },
    async handle({ body, caller, ...asked }) {
      const answer = await ask(asked, { method: 'POST', path: '/passkey/verify-registration', body })
      const added = answer.status === 200 ? await listPasskeys(parts.people.database, caller.id) : []
      const row = added.find(({ id }) => id === answer.body?.id)
      if (row === undefined) throw passkeyRefused()
      return viewOf(row)
    },
  }),
  defineRoute({
    ...authShared,
    id: 'renamePasskey',
    method: 'PATCH',
    path: '/passkeys/{id}',
    summary: 'Rename a passkey',
    access: session(null),
    params,
    body: PasskeyName,
    reply: noReply,
    errors: [passkeyNotFound],
    example: { params: { id: example.id }, body: { name: 'Laptop' }, reply: null },
    async handle({ params: { id }, body, caller: _, ...asked }) {
      const question = { id, name: body.name }
      const answer = await ask(asked, { method: 'POST', path: '/passkey/update-passkey', body: question })
      if (answer.status !== 200) throw passkeyNotFound()
      return undefined
    },
  }),
  defineRoute({
    ...authShared,
    id: 'deletePasskey',
    method: 'DELETE',
    path: '/passkeys/{id}',
    summary: 'Delete a passkey',
    access: session(null),
    params,
    reply: noReply,
    errors: [passkeyNotFound],
    example: { params: { id: example.id }, reply: null },
    async handle({ params: { id }, caller: _, ...asked }) {
      const answer = await ask(asked, { method: 'POST', path: '/passkey/delete-passkey', body: { id } })
      if (answer.status !== 200) throw passkeyNotFound()
      return undefined
    },
  }),
]

/** A passkey cannot be guessed, so no limit per account applies. */
const passkeySignInRoutes = ({ parts, ask, guard, record }: PasskeyParts): Route[] => [
  defineRoute({
    ...authShared,
    id: 'startPasskeySignIn',
    method: 'POST',
    path: '/passkey-login/options',
    summary: 'Begin to sign in with a passkey',
    access: open,
    reply: { status: 200, body: WebAuthnOptions },
    errors: [signInThrottled],
    showsSecret: true,
    example: { reply: options },
    async handle(asked) {
      // Without the cookies of a session, which would narrow the choice to passkeys of the signed-in person.
      const question = { method: 'GET', path: '/passkey/generate-authenticate-options', cookie: null } as const
      return { ...(await ask(asked, question)).body, userVerification: 'required' }
    },
  }),
  defineRoute({
    ...authShared,
    id: 'signInWithPasskey',
    method: 'POST',
    path: '/passkey-login',
    summary: 'Sign in with a passkey',
    access: open,
    body: PasskeyAnswer,
    reply: { status: 200, body: SignInResult },
    errors: [passkeyRefused],
    showsSecret: true,
    example: { body: { response: {} }, reply: { needs: null } },
    async handle({ body, ...asked }) {
      const { database, clock } = parts.people
      const credentialId = String(body.response.id ?? '')
      const answer = await ask(asked, { method: 'POST', path: '/passkey/verify-authentication', body })
      if (answer.status !== 200) {
        const owner = await findPasskeyOwner(database, credentialId)
        if (owner !== null) record.refused(asked, 'passkeyRefused', owner)
        throw passkeyRefused()
      }
      const person = admittedPerson(answer)
      await markPasskeyUsed(database, credentialId, new Date(clock.now()))
      guard.remember(asked, person.email)
      await record.done(asked, 'signInWithPasskey', person)
      return { needs: null }
    },
  }),
]
