import { z } from 'zod'
import { PASSWORD_CHARACTERS_MAX, roleNames } from '../../../accounts/people/people.ts'
import { textSchema, timeSchema, visibleText } from '../../../platform/http/schemas.ts'

const emailSchema = z.email('This must be an email address.').max(254)
const passwordSchema = textSchema(PASSWORD_CHARACTERS_MAX, 1)
const roleSchema = z.enum(roleNames)

export const Credentials = z.strictObject({ email: emailSchema, password: passwordSchema })
export const SecondFactor = z.strictObject({
  code: z
    .string()
    .regex(/^\d{6}$/, 'Six digits.')
    .optional(),
  backup_code: textSchema(40, 4).optional(),
})
export const SignInResult = z.object({ needs: z.enum(['second_factor']).nullable() }).meta({ id: 'SignInResult' })

export const SignInOptions = z
  .object({
    sso: z
      .object({ name: textSchema(40) })
      .nullable()
      .meta({ description: 'Null when single sign-on is not set up.' }),
  })
  .meta({ id: 'SignInOptions' })
export const SsoStart = z.object({ url: textSchema(4000) })
/** What the provider added to the address of the page. */
export const SsoReturn = z.strictObject({
  state: textSchema(200, 1),
  code: textSchema(4000, 1).optional(),
  iss: textSchema(500, 1).optional(),
  error: textSchema(200, 1).optional(),
})
export const SsoResult = z.object({
  has_joined: z.boolean().meta({ description: 'Whether the person joined an organization by an open invitation.' }),
})

export const SessionView = z
  .object({
    person: z.object({
      id: textSchema(40),
      name: textSchema(200),
      email: textSchema(254),
      is_two_factor_on: z.boolean(),
    }),
    organizations: z.array(
      z.object({
        id: textSchema(40),
        name: textSchema(200),
        slug: textSchema(63),
        role: roleSchema,
        sandbox_of: textSchema(40).nullable().meta({ description: 'The live organization of a sandbox.' }),
      }),
    ),
    organization: z.object({
      id: textSchema(40),
      name: textSchema(200),
      slug: textSchema(63),
      role: roleSchema,
      sandbox_of: textSchema(40).nullable(),
      scopes: z.array(textSchema(40)),
      powers: z.array(textSchema(40)),
      is_simulated: z.boolean(),
    }),
    live_place: textSchema(200).meta({
      description: 'Where the live stream continues, so that it sends what happens from now on.',
    }),
    version: textSchema(40),
  })
  .meta({ id: 'SessionView' })

export const OrganizationChoice = z.strictObject({ id: textSchema(40, 1) })
export const PasswordChange = z.strictObject({ current_password: passwordSchema, new_password: passwordSchema })
export const ResetRequest = z.strictObject({ email: emailSchema })
export const ResetConfirmation = z.strictObject({ token: textSchema(200, 1), new_password: passwordSchema })
export const InvitationAcceptance = z.strictObject({ name: visibleText(200), password: passwordSchema })
export const InvitationView = z
  .object({
    organization: textSchema(200),
    email: textSchema(254),
    role: roleSchema,
    expires_at: timeSchema,
    is_known_person: z.boolean(),
  })
  .meta({ id: 'InvitationView' })
const OpenSession = z
  .object({
    id: textSchema(40),
    is_current: z.boolean(),
    address: textSchema(100).nullable(),
    user_agent: textSchema(500).nullable(),
    created_at: timeSchema,
    last_seen_at: timeSchema,
    expires_at: timeSchema,
  })
  .meta({ id: 'OpenSession' })
export const OpenSessions = z.object({ data: z.array(OpenSession) })
export const PasswordProof = z.strictObject({ password: passwordSchema })
export const TwoFactorSetup = z.object({ uri: textSchema(1000), backup_codes: z.array(textSchema(40)) })
export const TwoFactorCode = z.strictObject({ code: z.string().regex(/^\d{6}$/, 'Six digits.') })

/** What the browser and its device say to each other (WebAuthn, as JSON); the library checks it. */
const webauthnSchema = z.record(z.string(), z.unknown())
export const WebAuthnOptions = webauthnSchema
export const PasskeyAnswer = z.strictObject({ response: webauthnSchema })
export const NewPasskey = z.strictObject({ name: textSchema(100, 1), response: webauthnSchema })
export const PasskeyName = z.strictObject({ name: textSchema(100, 1) })
export const PasskeyView = z
  .object({
    id: textSchema(40),
    name: textSchema(100),
    is_synced: z.boolean(),
    created_at: timeSchema,
    last_used_at: timeSchema.nullable(),
  })
  .meta({ id: 'PasskeyView' })
export const Passkeys = z.object({ data: z.array(PasskeyView) })
