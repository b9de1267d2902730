import type { AccountsContext } from '../accounts/keys/keys.ts'
import {
  createDashboardAuth,
  type PasswordKeeping,
  type PeopleContext,
  type SsoSettings,
} from '../accounts/people/people.ts'
import { type ChannelsContext, connectorMap } from '../channels/channels-context.ts'
import { createConnectors } from '../channels/connectors/connectors.ts'
import { createKeyChangeRecorder } from '../events/account.events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { channelSecretBox } from './settings.ts'
import { VERSION } from './version.ts'

/** For the server and the commands: every change to a key is recorded as an event. */
export const accountsContext = (database: Database, clock: Clock): AccountsContext => ({
  database,
  clock,
  recordChange: createKeyChangeRecorder(clock),
})

export type PeopleOptions = {
  database: Database
  clock: Clock
  secretKey: string
  publicUrl: string
  log: Log
  /** How passwords are kept, where not as the server keeps them. */
  passwords?: PasswordKeeping | null
  sendResetLink?: ((person: { email: string; name: string }, link: string) => void) | undefined
  connectableAt?: string
  /** The provider of single sign-on; null or absent for none. */
  sso?: SsoSettings | null | undefined
}

/** People and what proves who they are: for the console and the commands alike. */
export function peopleContext(options: PeopleOptions) {
  const { database, clock, secretKey, publicUrl, log } = options
  // The link opens the account, and logs are read by more people than mail: only the command prints it.
  const sendResetLink =
    options.sendResetLink ??
    (({ email }) =>
      log.warn(
        { email },
        'a link to set a password was asked for and no mail is set up; "npx nexkit person reset-password" prints one',
      ))
  const auth = createDashboardAuth({
    database,
    secret: Buffer.from(deriveKey(secretKey, 'sessions')).toString('base64url'),
    publicUrl,
    log,
    sendResetLink: async (person, token) => sendResetLink(person, resetLinkOf(publicUrl, token)),
    ...(options.connectableAt !== undefined && { connectableAt: options.connectableAt }),
    passwords: options.passwords ?? null,
    sso: options.sso ?? null,
  })
  const people: PeopleContext = { database, clock, auth, secret: deriveKey(secretKey, 'invitations') }
  return { auth, people }
}

/** The page of the console that takes it. */
const resetLinkOf = (publicUrl: string, token: string) => `${publicUrl}/console/reset-password/${token}`

export type NumbersGround = { database: Database; clock: Clock; secretKey: string; egress: Egress; publicUrl: string }

/** For creating and changing numbers where nothing is sent or reported, so the simulator needs no sender. */
export function numbersContext({ database, clock, secretKey, egress, publicUrl }: NumbersGround): ChannelsContext {
  const userAgent = `Nexkit/${VERSION}`
  const sender = () => {
    throw new Error('nothing is reported from here')
  }
  const connectors = connectorMap(createConnectors({ database, clock, userAgent, egress, sender, wake: () => {} }))
  return { database, clock, secretBox: channelSecretBox(secretKey), connectors, egress, publicUrl }
}
