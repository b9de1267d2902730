import { defineError } from '../../kernel/errors.ts'

export const signInRefused = defineError({
  code: 'sign_in_refused',
  status: 401,
  title: 'Wrong email or password',
  says: 'Email or password is wrong. Try again, or reset your password.',
  cause: 'The response is the same for an unknown email and for a wrong password.',
  fix: 'Try again, or reset your password. On a server without mail, an operator creates a reset link with `npx nexkit person reset-password --email …`.',
})

export const sandboxPeople = defineError({
  code: 'sandbox_people',
  status: 409,
  title: 'People belong to the live organization',
  says: 'A sandbox has the people and roles of its live organization. Add the person there.',
  cause:
    'Every member of a live organization works in its sandbox with the same role. The sandbox has no members besides.',
  fix: 'Add the person to the live organization.',
})

export const secondFactorRefused = defineError({
  code: 'second_factor_refused',
  status: 401,
  title: 'Wrong code',
  says: 'The code is wrong or was already used. Enter the newest one from your authenticator app, or a backup code.',
  cause:
    'Codes change every 30 seconds and work once. After several wrong codes, further ones are blocked for a while (`sign_in_throttled`).',
  fix: 'Enter the newest code from your authenticator app, or a backup code if you lost the app. Each backup code works once.',
})

export const secondFactorAlreadyOn = defineError({
  code: 'second_factor_already_on',
  status: 409,
  title: 'Two-factor authentication is already on',
  says: 'Two-factor authentication is already on. Turn it off first to set it up with another app.',
  cause: 'It may have been turned on in another window. The app and the backup codes that were set up still work.',
  fix: 'Reload the page. To use another app, turn two-factor authentication off first.',
})

export const signInThrottled = defineError({
  code: 'sign_in_throttled',
  status: 429,
  title: 'Too many attempts',
  says: 'There were too many attempts for this account. Wait for the number of seconds in Retry-After, use a passkey or a device on which you signed in before, or reset your password.',
  cause:
    'Failed sign-ins are limited per IP address and account, and per account over all addresses. Codes and password reset links are limited in the same way.',
  fix: 'Wait for the number of seconds in `Retry-After`, use a passkey, reset your password, or use a browser in which you signed in before. Such a browser has a separate limit, so that attempts of others do not lock you out.',
  example: { params: { retry_after_seconds: 60 } },
})

export const sameOriginRequired = defineError({
  code: 'same_origin_required',
  status: 403,
  title: 'Request from another site',
  says: 'The console accepts changes only from its own pages. Open the console at its own address and try again.',
  cause: 'The browser reported that the request comes from another site than `NEXKIT_PUBLIC_URL`.',
  fix: 'Open the console at its own address. If that is the address you use, the operator has to set `NEXKIT_PUBLIC_URL` to it. Programs use an API key and the public API instead.',
})

export const passwordTooShort = defineError({
  code: 'password_too_short',
  status: 422,
  title: 'Password too short',
  says: 'Choose a password with at least 10 characters.',
  cause: 'The new password has fewer than 10 characters.',
  fix: 'Choose a longer one. Three or four unrelated words are better than a short word with digits.',
})

export const passwordWrong = defineError({
  code: 'password_wrong',
  status: 422,
  title: 'Wrong current password',
  says: 'The current password is wrong. Enter it again, or reset it.',
  cause: 'Changing the password and turning two-factor authentication on or off need the current password.',
  fix: 'Enter the current password again, or sign out and reset it.',
})

export const resetLinkInvalid = defineError({
  code: 'reset_link_invalid',
  status: 409,
  title: 'Link expired',
  says: 'This link has expired or was already used. Ask for a new one.',
  cause: 'A password reset link works once, for one hour.',
  fix: 'Request a new link on the sign-in page.',
})

export const invitationInvalid = defineError({
  code: 'invitation_invalid',
  status: 409,
  title: 'Invitation expired',
  says: 'This invitation has expired, was revoked or was already used. Ask for a new one.',
  cause:
    'An invitation works once, for one week, and only for the email it was created for. A newer one to the same email replaces it.',
  fix: 'Ask an owner or admin for a new invitation.',
})

export const personNotFound = defineError({
  code: 'person_not_found',
  status: 404,
  title: 'Person not found',
  says: 'There is no such person in this organization. Reload the list.',
  cause: 'The person left the organization, or belongs to another one.',
  fix: 'Reload the list of people.',
})

export const ownerRequired = defineError({
  code: 'owner_required',
  status: 409,
  title: 'Organization needs an owner',
  says: 'This is the last owner. Make another person an owner first.',
  cause: 'Without an owner, no one could change roles any more.',
  fix: 'Make another person an owner first.',
})

export const personAlreadyMember = defineError({
  code: 'person_already_member',
  status: 409,
  title: 'Already a member',
  says: 'A person with this email is already a member. Change their role instead.',
  cause: 'An email belongs to one person, and a person is a member of an organization once.',
  fix: 'Change the role of the existing member.',
})

export const sessionNotFound = defineError({
  code: 'session_not_found',
  status: 404,
  title: 'Session not found',
  says: 'There is no such session. It may have already ended.',
  cause: 'Sessions end when you sign out, after a week without use, and all of them when the password is reset.',
  fix: 'Reload the list of sessions.',
})

export const passkeyRefused = defineError({
  code: 'passkey_refused',
  status: 401,
  title: 'Passkey not accepted',
  says: 'This passkey was not accepted. Try again, choose another passkey, or sign in with your password.',
  cause:
    'The passkey was deleted here while the device still offers it, the sign-in took longer than five minutes, or the device did not check its user by fingerprint, face or PIN.',
  fix: 'Try again, choose another passkey, or sign in with your password.',
})

export const passkeyNotFound = defineError({
  code: 'passkey_not_found',
  status: 404,
  title: 'Passkey not found',
  says: 'There is no such passkey in your account. It may have been deleted.',
  cause: 'The passkey was deleted, or belongs to another person.',
  fix: 'Reload the list of passkeys. An operator deletes all passkeys of a person with `npx nexkit person remove-passkeys --email …`.',
})

export const passkeyLimitReached = defineError({
  code: 'passkey_limit_reached',
  status: 409,
  title: 'Too many passkeys',
  says: 'An account can have at most 20 passkeys. Delete one that you no longer use.',
  cause:
    'An account can have 20 passkeys. One per device is enough; a password manager shares one passkey between its devices.',
  fix: 'Delete a passkey that you no longer use.',
})

export const ssoUnavailable = defineError({
  code: 'sso_unavailable',
  status: 503,
  title: 'Single sign-on unavailable',
  says: 'The provider of single sign-on does not answer. Try again in a minute, or sign in with your password.',
  cause:
    'The provider could not be reached or its discovery document is incomplete, or single sign-on is not set up on this server. The log of the server says which.',
  fix: 'Try again in a minute, or sign in with your password. An operator checks `NEXKIT_OIDC_ISSUER` and the log of the server.',
})

export const ssoRefused = defineError({
  code: 'sso_refused',
  status: 401,
  title: 'Single sign-on not completed',
  says: 'Single sign-on was not completed. Open the console at its public address and sign in again within five minutes.',
  cause:
    'The sign-in was canceled at the provider, took longer than five minutes or was started in another browser, or the answer of the provider could not be verified.',
  fix: 'Open the console at its public address and sign in again. If it keeps failing, an operator checks the client ID, the client secret and the log of the server.',
})

export const ssoEmailUnverified = defineError({
  code: 'sso_email_unverified',
  status: 403,
  title: 'Email not verified',
  says: 'Your provider has not verified your email. Verify it there, then sign in again.',
  cause: 'The provider did not send `email_verified: true`, and people are matched by their verified email.',
  fix: 'Verify the email at the provider, then sign in again. Some providers send `email_verified` only after it is enabled for the client.',
})

export const ssoPersonUnknown = defineError({
  code: 'sso_person_unknown',
  status: 403,
  title: 'No account for this email',
  says: 'Your email has no account here. Ask an owner or admin of your organization for an invitation, then sign in again.',
  cause:
    'The provider confirmed the person, but the email belongs to no member and has no open invitation. No account was created.',
  fix: 'Ask an owner or admin to invite exactly this email under *People*, then sign in again.',
})
