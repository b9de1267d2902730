import { agentScopes } from '../../kernel/scopes.ts'

/** What a program reads before it connects. The two documents are the same for every caller and contain no secret. */
type Place = {
  issuer: string
  /** The address of /mcp. */
  resource: string
  docsUrl: string
}

/** RFC 9728: who says who may come in. */
export const protectedResourceDocument = ({ issuer, resource, docsUrl }: Place): object => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: agentScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Nexkit',
  resource_documentation: `${docsUrl}/concepts/agents`,
})

/** RFC 8414. */
export const authorizationServerDocument = ({
  issuer,
  docsUrl,
  isRegistrationOn,
}: Place & { isRegistrationOn: boolean }): object => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  ...(isRegistrationOn && { registration_endpoint: `${issuer}/oauth/register` }),
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: agentScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${docsUrl}/concepts/agents`,
})

/** RFC 6750 and 9728: the challenge for a program without a valid token. */
export const challengeOf = (issuer: string): string =>
  `Bearer realm="mcp", resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp", scope="${agentScopes.join(' ')}"`
