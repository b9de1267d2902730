import { defineError } from '../../kernel/errors.ts'

export const signInRefused = defineError({
  code: 'sign_in_refused',
  status: 401,
  title: 'E-mail or password is wrong',
  says: 'E-mail or password is wrong. Try again, or reset your password.',
  help: 'The answer is the same whether the e-mail is unknown or the password is wrong. On a server without mail an operator can make a link with `npx nexkit person reset-password --email …`.',
})

export const secondFactorRefused = defineError({
  code: 'second_factor_refused',
  status: 401,
  title: 'The code is wrong',
  says: 'The code is wrong or was already used. Take the newest one from your authenticator app, or a backup code.',
  help: 'Codes change every 30 seconds and work once. When the app is lost, a backup code works once instead. After several wrong codes further ones are refused for a while (`sign_in_throttled`).',
})

export const secondFactorAlreadyOn = defineError({
  code: 'second_factor_already_on',
  status: 409,
  title: 'The second factor is already on',
  says: 'The second factor is already on. Switch it off first to set it up with another app.',
  help: 'It may have been switched on in another window; load the page again. The app and the backup codes that were set up go on working.',
})

export const signInThrottled = defineError({
  code: 'sign_in_throttled',
  status: 429,
  title: 'Too many attempts',
  says: 'There were too many attempts for this account. Wait for the seconds in Retry-After, use a passkey or a device on which you signed in before, or reset your password.',
  help: 'Failed sign-ins are limited per address and account, and per account over all addresses. A browser that signed in to the account before has a limit of its own, and so does one that set a new password with a link: attempts of others do not lock you out there. Codes and links to set a new password are limited in the same way.',
})

export const sameOriginRequired = defineError({
  code: 'same_origin_required',
  status: 403,
  title: 'The call came from another site',
  says: 'The console takes changes only from its own pages. Open the console at its own address and try again.',
  help: 'A browser says where a request comes from. What changes something must come from the address of this server (`NEXKIT_PUBLIC_URL`). A script without a browser names no other origin; better, it uses an API key and the public API instead.',
})

export const passwordTooShort = defineError({
  code: 'password_too_short',
  status: 422,
  title: 'The password is too short',
  says: 'Choose a password with at least 10 characters.',
  help: 'Length is what matters. Three or four words that do not belong together are better than a short word with digits.',
})

export const passwordWrong = defineError({
  code: 'password_wrong',
  status: 422,
  title: 'The current password is wrong',
  says: 'The current password is wrong.',
  help: 'Changing the password and switching the second factor on or off ask for the current password.',
})

export const resetLinkInvalid = defineError({
  code: 'reset_link_invalid',
  status: 409,
  title: 'This link no longer works',
  says: 'This link has expired or was already used. Ask for a new one.',
  help: 'A link to set a new password works once and for an hour.',
})

export const invitationInvalid = defineError({
  code: 'invitation_invalid',
  status: 409,
  title: 'This invitation no longer works',
  says: 'This invitation has expired, was withdrawn or was already used. Ask for a new one.',
  help: 'An invitation works once, for a week, and only for the e-mail it was made for. A newer one to the same address replaces it.',
})

export const personNotFound = defineError({
  code: 'person_not_found',
  status: 404,
  title: 'No such person',
  says: 'There is no such person in this organization.',
  help: 'The person may have left, or belong to another organization.',
})

export const ownerRequired = defineError({
  code: 'owner_required',
  status: 409,
  title: 'An organization needs an owner',
  says: 'This is the last owner. Make somebody else an owner first.',
  help: 'Without an owner nobody could give anybody rights again.',
})

export const personAlreadyMember = defineError({
  code: 'person_already_member',
  status: 409,
  title: 'Already a member',
  says: 'Somebody with this e-mail is a member already. Change their role instead.',
  help: 'An e-mail belongs to one person, and a person is a member of an organization once.',
})

export const sessionNotFound = defineError({
  code: 'session_not_found',
  status: 404,
  title: 'No such session',
  says: 'There is no such session. It may have ended by itself.',
  help: 'Sessions end when you sign out, after a week without use, and all at once when the password is reset.',
})

export const passkeyRefused = defineError({
  code: 'passkey_refused',
  status: 401,
  title: 'The passkey was not accepted',
  says: 'This passkey was not accepted. Try again, choose another passkey, or sign in with your password.',
  help: 'The passkey may have been deleted here while the device still offers it, the sign-in may be older than five minutes, or the device did not check its user with a finger, a face or a PIN.',
})

export const passkeyNotFound = defineError({
  code: 'passkey_not_found',
  status: 404,
  title: 'No such passkey',
  says: 'There is no such passkey in your account. It may have been deleted.',
  help: 'A passkey belongs to one person, who alone can rename or delete it. An operator deletes all of them with `npx nexkit person remove-passkeys --email …`.',
})

export const passkeyLimitReached = defineError({
  code: 'passkey_limit_reached',
  status: 409,
  title: 'Too many passkeys',
  says: 'An account has at most 20 passkeys. Delete one that you no longer use.',
  help: 'One passkey per device is enough; a password manager brings the same passkey to all of its devices.',
})
