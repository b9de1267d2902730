/**
 * What the library needs to know about passkeys. A passkey replaces password and second factor, so the device must have checked
 * its user (finger, face, PIN) each time; the library only prefers that, the hooks below require it.
 */
export async function passkeys(publicUrl: string) {
  const { passkey } = await import('@better-auth/passkey')
  const { APIError } = await import('better-auth/api')
  const requireUserCheck = (isChecked: boolean | undefined) => {
    if (isChecked !== true) throw new APIError('UNAUTHORIZED', { code: 'USER_NOT_VERIFIED' })
  }
  return passkey({
    rpName: 'Nexkit',
    ...relyingParty(new URL(publicUrl)),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    registration: {
      afterVerification: ({ verification }) => requireUserCheck(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => requireUserCheck(verification.authenticationInfo.userVerified),
    },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          userId: 'person_id',
          credentialID: 'credential_id',
          publicKey: 'public_key',
          deviceType: 'device_type',
          backedUp: 'is_backed_up',
          createdAt: 'created_at',
        },
      },
    },
  })
}

/** The host of the public URL. A passkey cannot belong to an IP address, so on the same machine it belongs to localhost. */
const relyingParty = ({ hostname, origin, port }: URL) =>
  ['127.0.0.1', '[::1]'].includes(hostname)
    ? { rpID: 'localhost', origin: `http://localhost:${port}` }
    : { rpID: hostname, origin }
