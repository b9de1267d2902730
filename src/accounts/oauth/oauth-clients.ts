import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import { agentScopes } from '../../kernel/scopes.ts'
import { soundText } from '../../kernel/text.ts'
import type { Database } from '../../platform/database/database.ts'
import { LASTING } from '../people/people.ts'
import {
  countUnauthorizedClients,
  deleteUnauthorizedClients,
  findClient,
  type NewOAuthClient,
  type OAuthClientRow,
  upsertClient,
} from './oauth.sql.ts'
import { hostOfRedirect, isRedirectAddress } from './redirect-addresses.ts'

/**
 * Programs that want to connect. Either their id is the https address of a document that describes them, which proves that they
 * speak for its host; or they register, which anybody can and which proves nothing. None has a secret: what protects a code is
 * that it goes to a known address and is worth nothing without what only the asker has (PKCE).
 */
export type OAuthClient = {
  clientId: string
  /** The name that the program gives itself. */
  name: string
  redirectUris: string[]
  isFromDocument: boolean
}

export type ClientsContext = {
  database: Database
  clock: Clock
  /** Null when the document cannot be fetched; see `createDocumentFetch`, which the app hands in. */
  fetchDocument: (url: string) => Promise<{ body: string } | null>
}

export type ClientRefusal = { error: string; description: string }

const NAME_CHARACTERS_MAX = 100
const REDIRECTS_MAX = 10
/**
 * Upper bound on clients without any consent. Registered clients, which anyone can create, and clients with a document,
 * which is read only for signed-in people, are counted separately. When the bound is reached, clients older than an
 * hour are deleted.
 */
const UNAUTHORIZED_CLIENTS_MAX = 2000
const UNAUTHORIZED_MS_MIN = 3600_000
const DOCUMENT_KEPT_MS = 10 * 60_000
const DOCUMENT_URL_LENGTH_MAX = 500
const GRANTS = ['authorization_code', 'refresh_token']

/** Members that are not named here are not stored. */
const Metadata = z.object({
  client_name: z.string().max(1000).optional(),
  redirect_uris: z.array(z.string()).min(1).max(REDIRECTS_MAX),
  grant_types: z.array(z.string()).max(20).optional(),
  response_types: z.array(z.string()).max(20).optional(),
  token_endpoint_auth_method: z.string().optional(),
})
type ClientMetadata = z.output<typeof Metadata>

const refused = (error: string, description: string): ClientRefusal => ({ error, description })

/** Answers with the registration response, or with the reason for the refusal. */
export async function registerClient(
  { database, clock }: ClientsContext,
  body: unknown,
): Promise<{ registered: object } | { refusal: ClientRefusal }> {
  const read = readMetadata(body)
  if ('refusal' in read) return read
  if (!(await hasPlace({ database, clock }, { isFromDocument: false })))
    return { refusal: refused('temporarily_unavailable', 'Too many clients have registered. Try again in an hour.') }
  const now = clock.now()
  const id = newId('oau', now)
  const row = await upsertClient(database, rowOf(read.metadata, { id, clientId: id, isFromDocument: false, now }))
  return {
    registered: {
      client_id: row.client_id,
      client_id_issued_at: Math.floor(now / 1000),
      client_name: row.name,
      redirect_uris: read.metadata.redirect_uris,
      grant_types: GRANTS,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  }
}

async function hasPlace(
  { database, clock }: Pick<ClientsContext, 'database' | 'clock'>,
  { isFromDocument }: { isFromDocument: boolean },
): Promise<boolean> {
  const isFull = async () =>
    (await countUnauthorizedClients(database, { isFromDocument, countMax: UNAUTHORIZED_CLIENTS_MAX })) >=
    UNAUTHORIZED_CLIENTS_MAX
  if (!(await isFull())) return true
  await deleteUnauthorizedClients(database, {
    before: new Date(clock.now() - UNAUTHORIZED_MS_MIN),
    rowsMax: UNAUTHORIZED_CLIENTS_MAX,
  })
  return !(await isFull())
}

function readMetadata(body: unknown): { metadata: ClientMetadata } | { refusal: ClientRefusal } {
  const { success, data } = Metadata.safeParse(body)
  if (!success)
    return {
      refusal: refused(
        'invalid_client_metadata',
        `Send a JSON object with redirect_uris, a list of 1 to ${REDIRECTS_MAX} addresses.`,
      ),
    }
  if (!data.redirect_uris.every(isRedirectAddress))
    return {
      refusal: refused(
        'invalid_redirect_uri',
        'A redirect URI is an https address, http on localhost, 127.0.0.1 or [::1], or an address with a custom scheme; without fragment or user name.',
      ),
    }
  const { grant_types = GRANTS, response_types = ['code'] } = data
  if (!grant_types.includes('authorization_code') || !response_types.includes('code'))
    return {
      refusal: refused(
        'invalid_client_metadata',
        'Only the grant authorization_code with response type code is offered.',
      ),
    }
  return { metadata: data }
}

type Origin = { id: string; clientId: string; isFromDocument: boolean; now: number }

const rowOf = (metadata: ClientMetadata, { id, clientId, isFromDocument, now }: Origin): NewOAuthClient => ({
  id,
  client_id: clientId,
  name: nameOf(metadata),
  redirect_uris: JSON.stringify(metadata.redirect_uris),
  scopes: JSON.stringify([...agentScopes, LASTING]),
  grant_types: JSON.stringify(GRANTS),
  is_from_document: isFromDocument,
  created_at: new Date(now),
  updated_at: new Date(now),
})

/** Neither line breaks nor marks that turn the direction of writing: a name must not look like something else on our page. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu
/** Invisible characters, which a name may contain but not consist of. */
const BLANK = /[\p{Default_Ignorable_Code_Point}\u2800\s]+/gu

function nameOf({ client_name = '', redirect_uris }: ClientMetadata): string {
  const name = soundText(client_name.replace(UNSHOWN, ' ').trim(), NAME_CHARACTERS_MAX)
  return name.replace(BLANK, '') === '' ? hostOfRedirect(firstOf(redirect_uris)) : name
}

/** Registered, or described by a document that is fetched where what we know of it is old. */
export async function findOAuthClient(
  context: ClientsContext,
  clientId: string,
): Promise<{ client: OAuthClient } | { refusal: ClientRefusal }> {
  const known = await findClient(context.database, clientId)
  const isFresh = (row: OAuthClientRow) => context.clock.now() - row.updated_at.getTime() < DOCUMENT_KEPT_MS
  if (known !== null && (!known.is_from_document || isFresh(known))) return { client: clientOf(known) }
  if (!isDocumentAddress(clientId))
    return { refusal: refused('invalid_client', 'This program is not registered here, or no longer.') }
  const read = await readDocument(context, clientId)
  if ('refusal' in read) return read
  if (known === null && !(await hasPlace(context, { isFromDocument: true })))
    return { refusal: refused('temporarily_unavailable', 'Too many programs are connecting. Try again in an hour.') }
  const now = context.clock.now()
  const row = rowOf(read.metadata, { id: newId('oau', now), clientId, isFromDocument: true, now })
  return { client: clientOf(await upsertClient(context.database, row)) }
}

/** As the drafts of such documents want it: https, a path, and nothing that could be written in two ways. */
function isDocumentAddress(text: string): boolean {
  if (!text.startsWith('https://') || text.length > DOCUMENT_URL_LENGTH_MAX || !URL.canParse(text)) return false
  const { href, pathname, username, password } = new URL(text)
  return href === text && pathname !== '/' && username === '' && password === '' && !text.includes('#')
}

const Document = Metadata.extend({ client_id: z.string() })

async function readDocument(
  { fetchDocument }: ClientsContext,
  clientId: string,
): Promise<{ metadata: ClientMetadata } | { refusal: ClientRefusal }> {
  const unusable = (why: string) => ({
    refusal: refused('invalid_client', `The document that describes this program cannot be used: ${why}.`),
  })
  const fetched = await fetchDocument(clientId)
  if (fetched === null) return unusable('it could not be fetched')
  const { success, data } = Document.safeParse(parsed(fetched.body))
  if (!success) return unusable('it is not of the right form')
  if (data.client_id !== clientId) return unusable('it is that of another program')
  const method = data.token_endpoint_auth_method ?? 'none'
  if (method !== 'none')
    return unusable(`the way to authenticate that it names (${soundText(method, 40)}) is not offered`)
  return readMetadata(data)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const clientOf = (row: OAuthClientRow): OAuthClient => ({
  clientId: row.client_id,
  name: row.name,
  redirectUris: JSON.parse(row.redirect_uris),
  isFromDocument: row.is_from_document,
})

/**
 * The host that identifies the program to a person: the host of its document, else the host of the redirect address.
 */
export const hostOfClient = ({ clientId, isFromDocument }: OAuthClient, redirectUri: string): string =>
  isFromDocument ? new URL(clientId).host : hostOfRedirect(redirectUri)
