/**
 * Sends deliveries: loads what an attempt needs, signs and posts it, judges the answer, and writes down what came of it, for the
 * delivery and for its endpoint.
 */
export { BODY_BYTES_ADVISED, BODY_BYTES_MAX } from './delivery-body.ts'
export { credentialsIn, withoutEchoes } from './echoes.ts'
export { summarizeNow } from './endpoint-health.ts'
