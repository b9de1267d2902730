import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'

/** A program on the official client, which discovers everything from the address alone. */
export type OAuthProgram = {
  /** Where it would have sent the browser; it has to be opened, and what comes back handed to `finish`. */
  begin(): Promise<URL>
  finish(callback: URL): Promise<Client>
  connect(): Promise<Client>
  tokens: () => OAuthTokens | undefined
  /** Its tokens, not who it is. */
  forget(): void
  /** As if an hour had gone by. */
  spoilAccessToken(): void
  close(): Promise<void>
}

export type ProgramOptions = {
  url: string
  redirectUrl: string
  metadata?: Partial<OAuthClientMetadata>
  /** Its id, where a document describes it. */
  clientMetadataUrl?: string
  fetch?: typeof fetch
}

type Held = {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  verifier?: string
  url?: URL
  discovered?: OAuthDiscoveryState
}

export function anOAuthProgram(options: ProgramOptions): OAuthProgram {
  const held = {} as Held
  const clients: Client[] = []
  const provider: OAuthClientProvider = {
    redirectUrl: options.redirectUrl,
    clientMetadata: { client_name: 'Claude', redirect_uris: [options.redirectUrl], ...options.metadata },
    ...(options.clientMetadataUrl !== undefined && { clientMetadataUrl: options.clientMetadataUrl }),
    state: () => 'of-the-program',
    clientInformation: () => held.client,
    saveClientInformation: (client) => void Object.assign(held, { client }),
    tokens: () => held.tokens,
    saveTokens: (tokens) => void Object.assign(held, { tokens }),
    redirectToAuthorization: (url) => void Object.assign(held, { url }),
    saveCodeVerifier: (verifier) => void Object.assign(held, { verifier }),
    codeVerifier: () => held.verifier as string,
    saveDiscoveryState: (discovered) => void Object.assign(held, { discovered }),
    discoveryState: () => held.discovered,
    invalidateCredentials: (which) => {
      if (which === 'all' || which === 'tokens') delete held.tokens
    },
  }
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(options.url), {
      authProvider: provider,
      ...(options.fetch !== undefined && { fetch: options.fetch as never }),
    })
  const connect = async () => {
    const client = new Client({ name: 'program', version: '1.0.0' })
    await client.connect(transport())
    clients.push(client)
    return client
  }
  let waiting: StreamableHTTPClientTransport | null = null
  return {
    async begin() {
      waiting = transport()
      const refused = await new Client({ name: 'program', version: '1.0.0' }).connect(waiting).then(
        () => null,
        (error: Error) => error,
      )
      if (refused === null || held.url === undefined) throw new Error(`it was not sent to a page: ${refused?.message}`)
      return held.url
    },
    async finish(callback) {
      await waiting?.finishAuth(callback.searchParams)
      return connect()
    },
    connect,
    tokens: () => held.tokens,
    forget() {
      delete held.tokens
    },
    spoilAccessToken() {
      if (held.tokens !== undefined) held.tokens = { ...held.tokens, access_token: 'nxo_overandgone' }
    },
    async close() {
      for (const client of clients) await client.close()
    },
  }
}
