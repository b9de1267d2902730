/**
 * What users do to webhook endpoints: create, change, pause, resume, delete, rotate the secret, test; and the endpoint as the API
 * shows it, with its health and its backlog.
 */
export {
  deleteEndpoint,
  pauseEndpoint,
  type ResumeMode,
  resumeEndpoint,
  revealSecret,
  rotateSecret,
} from './endpoint-actions.ts'
export { createEndpoint, updateEndpoint, vetEndpointChange, vetNewEndpoint, vetUrl } from './endpoint-settings.ts'
export { type EndpointView, presentEndpoint, presentEndpoints } from './endpoint-view.ts'
export { findRegistered, isCallbackSecret, registerCallback, unregisterCallback } from './subscriptions.ts'
export { pingEndpoint, type SentTest, sendTest } from './test-events.ts'
