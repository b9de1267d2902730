import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { PasskeyView, SignInResult } from './generated.ts'

export type { PasskeyView as Passkey } from './generated.ts'

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => call('GET /api/auth/passkeys', { signal }),
})
export const renamePasskey = (id: string, name: string) =>
  call('PATCH /api/auth/passkeys/{id}', { params: { id }, body: { name } })
export const deletePasskey = (id: string) => call('DELETE /api/auth/passkeys/{id}', { params: { id } })

/** Browsers offer passkeys on https and on localhost, and not where the host is an IP address. */
export const arePasskeysPossible = () =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(window.location.hostname)

export async function addPasskey(password: string, name: string): Promise<PasskeyView> {
  const options: unknown = await call('POST /api/auth/passkeys/options', { body: { password } })
  const { startRegistration } = await webauthn()
  const response: RegistrationResponseJSON = await startRegistration({
    optionsJSON: options as PublicKeyCredentialCreationOptionsJSON,
  }).catch(refuseAs)
  return call('POST /api/auth/passkeys', { body: { name, response: { ...response } } })
}

export async function signInWithPasskey(): Promise<SignInResult> {
  const options: unknown = await call('POST /api/auth/passkey-login/options')
  const { startAuthentication } = await webauthn()
  const response: AuthenticationResponseJSON = await startAuthentication({
    optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
  }).catch(refuseAs)
  return call('POST /api/auth/passkey-login', { body: { response: { ...response } } })
}

/** Loaded when it is needed: most people sign in without. */
const webauthn = () => import('@simplewebauthn/browser')

/** The browser or the device did not do it; `reason` has a sentence in both languages. */
export class DeviceRefusal extends Error {
  readonly reason: 'cancelled' | 'known' | 'unavailable'
  constructor(reason: DeviceRefusal['reason']) {
    super(reason)
    this.reason = reason
  }
}

function refuseAs(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError') throw new DeviceRefusal('known')
  throw new DeviceRefusal(name === 'NotAllowedError' || name === 'AbortError' ? 'cancelled' : 'unavailable')
}
