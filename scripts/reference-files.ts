import { generateAsyncApi, generateOpenApi } from '../src/app.ts'
import { allErrors } from '../src/kernel/errors.ts'
import { orderStatesPage } from '../src/orders/order-states-page.ts'
import { errorReference } from '../src/surfaces/docs/error-pages.ts'

/** The files of the repository that are made from the code, by path. `npm run openapi` writes them. */
export const referenceFiles = (): Record<string, string> => ({
  'openapi.json': generateOpenApi(),
  'asyncapi.json': generateAsyncApi(),
  'docs/reference/errors.md': errorReference(allErrors()),
  'docs/reference/order-states.md': orderStatesPage(),
})
