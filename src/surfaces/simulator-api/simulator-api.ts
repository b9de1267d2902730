import type { RouteList } from '../../platform/http/define-route.ts'
import { type CustomerRouteParts, customerRoutes } from './customers.routes.ts'
import { type NetworkRouteParts, networkRoutes } from './network.routes.ts'
import { type PaymentRouteParts, paymentRoutes } from './payments.routes.ts'
import { type SandboxRouteParts, sandboxRoutes } from './sandbox.routes.ts'
import { type SettingsRouteParts, settingsRoutes } from './settings.routes.ts'

/**
 * The test API below /simulator: plays customers, the phone network and the payment network of an organization. It reaches
 * simulator numbers and simulator payment accounts only, so every server has it. The console calls the same routes.
 */
export type SimulatorApiParts = CustomerRouteParts &
  NetworkRouteParts &
  PaymentRouteParts &
  SettingsRouteParts &
  SandboxRouteParts

export const simulatorRoutes: RouteList<SimulatorApiParts> = (parts) => [
  ...customerRoutes(parts),
  ...networkRoutes(parts),
  ...paymentRoutes(parts),
  ...settingsRoutes(parts),
  ...sandboxRoutes(parts),
]
