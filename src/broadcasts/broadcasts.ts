/**
 * Broadcasts: one template to many people who agreed to it, each at most once, at the pace that the number bears.
 *
 *   POST /broadcasts ── audience.ts: who is sent it, who is left out and why ──▶ draft
 *   start ──▶ broadcasts.jobs.ts sends to a few people at a time ──▶ completed (broadcast-status.ts)
 */

export { createBroadcastJob } from './broadcasts.jobs.ts'
export { broadcastRoutes } from './broadcasts.routes.ts'
export type { BroadcastsContext } from './broadcasts-context.ts'
