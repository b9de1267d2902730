import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { queryOptions } from '@tanstack/react-query'
import { authApi } from './client.ts'
import type { SignIn } from './session.ts'

export type Passkey = {
  id: string
  name: string
  /** Whether a password manager copies it to other devices. */
  is_synced: boolean
  created_at: string
  last_used_at: string | null
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => authApi.get<{ data: Passkey[] }>('/passkeys', {}, signal),
})
export const renamePasskey = (id: string, name: string) => authApi.patch<void>(`/passkeys/${id}`, { name })
export const deletePasskey = (id: string) => authApi.remove<void>(`/passkeys/${id}`)

/** Browsers offer passkeys on https and on localhost, and not where the host is an IP address. */
export const arePasskeysPossible = () =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(window.location.hostname)

export async function addPasskey(password: string, name: string): Promise<Passkey> {
  const optionsJSON = await authApi.post<PublicKeyCredentialCreationOptionsJSON>('/passkeys/options', { password })
  const { startRegistration } = await webauthn()
  const response: RegistrationResponseJSON = await startRegistration({ optionsJSON }).catch(refuseAs)
  return authApi.post<Passkey>('/passkeys', { name, response })
}

export async function signInWithPasskey(): Promise<SignIn> {
  const optionsJSON = await authApi.post<PublicKeyCredentialRequestOptionsJSON>('/passkey-login/options')
  const { startAuthentication } = await webauthn()
  const response: AuthenticationResponseJSON = await startAuthentication({ optionsJSON }).catch(refuseAs)
  return authApi.post<SignIn>('/passkey-login', { response })
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
