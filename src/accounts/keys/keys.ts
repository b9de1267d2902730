/**
 * API keys: their life, the authentication of the calls that carry one, and `GET /me`. A known key costs no query: keys are kept
 * in memory and checked several times a second against the database.
 */

export { createApiKeyCache } from './api-key-cache.ts'
export { createToken, hashBytes, isChecksumRight, platformTokenHash } from './api-key-token.ts'
export {
  bumpAccountRevision,
  type ConnectedKeyRow,
  findKeyByAccessToken,
  findKeyByRefreshToken,
} from './api-keys.sql.ts'
export {
  type AccountsContext,
  type ApiKey,
  apiKeyState,
  assertGrantable,
  createApiKey,
  createApiKeyIn,
  currentKeysOfAgents,
  type Grantor,
  getApiKey,
  holdApiKey,
  type KeyChange,
  type KeyInitiator,
  listApiKeys,
  ROTATION_OVERLAP_SECONDS,
  ROTATION_OVERLAP_SECONDS_MAX,
  revokeAgentKeys,
  revokeApiKey,
  revokeApiKeyIn,
  rotateApiKey,
  rotateApiKeyIn,
  updateAgentKeys,
  updateApiKeyIn,
} from './api-keys.ts'
export {
  assertActive,
  callerOf,
  createKeyAuthenticator,
  credentialIn,
  type DefaultRateLimit,
  holderOf,
  type KeyCaller,
} from './authenticate.ts'
export { identityRoutes, type PublicLimits } from './identity.routes.ts'
export { createLastUsed, type LastUsed } from './last-used.ts'
