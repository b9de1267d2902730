/** Erasing a customer: one job over the tables of all capabilities, with a report. */

export { createErasureJob, type ErasureContext } from './contact-erasure.ts'
export { erasureRoutes } from './erasure.routes.ts'
