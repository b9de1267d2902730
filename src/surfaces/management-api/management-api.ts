import type { RouteList } from '../../platform/http/define-route.ts'
import { type AgentRouteParts, agentRoutes } from './agents.routes.ts'
import { type KeyRouteParts, keyRoutes } from './keys.routes.ts'
import { type MediaRouteParts, mediaRoutes } from './media.routes.ts'
import { type NumberRouteParts, numberRoutes } from './numbers.routes.ts'
import { type OrganizationRouteParts, organizationRoutes } from './organization.routes.ts'
import { type OrganizationsRouteParts, organizationsRoutes } from './organizations.routes.ts'
import { type PaymentAccountRouteParts, paymentAccountRoutes } from './payment-accounts.routes.ts'
import { type PeopleRouteParts, peopleRoutes } from './people.routes.ts'
import { type TemplateRouteParts, templateRoutes } from './templates.routes.ts'

/**
 * Management by API: what an owner sets up in the console, for programs that set up shops. The routes call the same
 * operations as the console and the commands. None of them is offered to agents.
 */
export type NetworkRouteParts = MediaRouteParts & TemplateRouteParts

export type ManagementApiParts = NumberRouteParts &
  PaymentAccountRouteParts &
  KeyRouteParts &
  AgentRouteParts &
  PeopleRouteParts &
  OrganizationRouteParts &
  OrganizationsRouteParts

export const managementRoutes: RouteList<ManagementApiParts> = (parts) => [
  ...organizationRoutes(parts),
  ...organizationsRoutes(parts),
  ...numberRoutes(parts),
  ...paymentAccountRoutes(parts),
  ...keyRoutes(parts),
  ...agentRoutes(parts),
  ...peopleRoutes(parts),
]

/** Files and templates, which belong to the network of a number. */
export const networkRoutes: RouteList<NetworkRouteParts> = (parts) => [...mediaRoutes(parts), ...templateRoutes(parts)]
