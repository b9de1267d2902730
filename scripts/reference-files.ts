import { generateAsyncApi, generateOpenApi } from '../src/boot/public-routes.ts'
import { allErrors } from '../src/kernel/errors.ts'
import { orderStatesPage, settlementPage } from '../src/orders/settlement/reference-pages.ts'
import { paymentMethodsPage } from '../src/payments/connectors/reference-page.ts'
import { errorReference } from '../src/surfaces/docs/error-pages.ts'
import { commandsPage, settingsPage } from './command-pages.ts'
import { consoleTypes } from './console-types.ts'
import type { Description } from './sdk-description.ts'
import { sdkResources } from './sdk-resources.ts'
import { sdkEventTypes, sdkTypes } from './sdk-types.ts'

/** The files of the repository that are made from the code, by path. `npm run openapi` writes them. */
export function referenceFiles(): Record<string, string> {
  const openApi = generateOpenApi()
  const description: Description = JSON.parse(openApi)
  return {
    'openapi.json': openApi,
    'sdk/src/generated/event-types.ts': sdkEventTypes(description),
    'sdk/src/generated/types.ts': sdkTypes(description),
    'sdk/src/generated/resources.ts': sdkResources(description),
    'console/app/api/generated.ts': consoleTypes(description),
    'asyncapi.json': generateAsyncApi(),
    'docs/reference/commands.md': commandsPage(),
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/errors.md': errorReference(allErrors()),
    'docs/reference/order-states.md': orderStatesPage(),
    'docs/reference/settlement.md': settlementPage(),
    'docs/reference/payment-methods.md': paymentMethodsPage(),
  }
}
