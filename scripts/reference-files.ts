import { generateAsyncApi, generateOpenApi } from '../src/app.ts'
import { allErrors } from '../src/kernel/errors.ts'
import { orderStatesPage, settlementPage } from '../src/orders/settlement/reference-pages.ts'
import { errorReference } from '../src/surfaces/docs/error-pages.ts'
import { consoleTypes } from './console-types.ts'
import { sdkFiles } from './sdk-files.ts'

/** The files of the repository that are made from the code, by path. `npm run openapi` writes them. */
export function referenceFiles(): Record<string, string> {
  const openApi = generateOpenApi()
  return {
    'openapi.json': openApi,
    ...sdkFiles(openApi),
    'console/app/api/generated.ts': consoleTypes(JSON.parse(openApi)),
    'asyncapi.json': generateAsyncApi(),
    'docs/reference/errors.md': errorReference(allErrors()),
    'docs/reference/order-states.md': orderStatesPage(),
    'docs/reference/settlement.md': settlementPage(),
  }
}
