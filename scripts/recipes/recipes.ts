/**
 * What a newcomer writes who follows the recipes of CONTRIBUTING.md, kept as small as the contracts allow. `check-recipes.ts`
 * applies all of it to a copy of the project and looks whether it works there.
 */
export type Recipe = {
  /** The heading of the recipe in CONTRIBUTING.md. */
  title: string
  /** New files, by path. */
  files: Record<string, string>
  /** Lines that are added to existing files, behind a line that holds this text. The recipe has to name each of these files. */
  edits: { path: string; behind: string; add: string }[]
}

const provider: Recipe = {
  title: 'Add a payment provider',
  files: {
    'src/payments/connectors/recipe/recipe.ts': `
import { definePaymentProvider, type PaymentConnector } from '../../payment-connector.ts'
import { rejected } from '../../provider-calls/provider-calls.ts'

const failure = rejected('recipe', 'Nothing can be paid here.')

const connector: PaymentConnector = {
  isLocal: false,
  capabilities: () => [],
  charge: async () => ({ kind: 'refused', failure }),
  askStatus: async () => ({ kind: 'refused', failure }),
  cancel: async () => ({ kind: 'ended' }),
  expire: async () => ({ kind: 'ended' }),
  refund: async () => ({ kind: 'refused', failure }),
  readNotice: () => ({ kind: 'refused', status: 404, detail: 'there are none' }),
  probe: async () => ({ kind: 'done' }),
}

export const recipe = definePaymentProvider({
  name: 'recipe',
  displayName: 'Recipe Pay',
  isSimulated: false,
  hasNotices: true,
  fields: [
    { name: 'recipe_key', label: 'Recipe key', help: 'from the recipe.', isSecret: true, isRequired: true },
  ],
  create: () => connector,
})
`,
  },
  edits: [
    {
      path: 'src/payments/connectors/connectors.ts',
      behind: "import { simulator } from './simulator/simulator.ts'",
      add: "import { recipe } from './recipe/recipe.ts'",
    },
    { path: 'src/payments/connectors/connectors.ts', behind: 'const definitions = [', add: '  recipe,' },
    {
      path: 'console/app/text/server-id.ts',
      behind: "  'xendit.qris_nmid': nmid,",
      add: "  'recipe.recipe_key': { label: 'Kunci resep', help: 'dari resep.' },",
    },
  ],
}

const channel: Recipe = {
  title: 'Add a channel',
  files: {
    'src/channels/connectors/recipe/recipe.ts': `
import type { ChannelDefinition, ChannelFailure } from '../../channel-connector.ts'

const failure: ChannelFailure = {
  class: 'permanent',
  scope: 'number',
  code: 'recipe',
  providerCode: null,
  detail: 'Nothing can be sent here.',
  retryAfterMs: null,
}

const DESCRIPTION = {
  name: 'recipe',
  displayName: 'Recipe Chat',
  isSimulated: false,
  traits: { hasReplyWindow: false, messagesPerSecondMax: 1, pairGapMs: 0, isNumberIdGlobal: false },
  fields: [],
}

export const recipe: ChannelDefinition = {
  ...DESCRIPTION,
  create: () => ({
    ...DESCRIPTION,
    send: async () => ({ kind: 'refused', failure }),
    markRead: async () => ({ kind: 'done' }),
    uploadMedia: async () => ({ kind: 'refused', failure }),
    downloadMedia: async () => ({ kind: 'refused', failure }),
    listTemplates: async () => ({ kind: 'done', templates: [] }),
    probe: async () => ({ kind: 'done' }),
    readHook: () => ({ kind: 'refused', status: 401, detail: 'there are none' }),
    readBatch: () => [],
  }),
}
`,
  },
  edits: [
    {
      path: 'src/channels/connectors/connectors.ts',
      behind: "import { simulator } from './simulator/simulator.ts'",
      add: "import { recipe } from './recipe/recipe.ts'",
    },
    {
      path: 'src/channels/connectors/connectors.ts',
      behind: 'export const channelDefinitions: readonly ChannelDefinition[] = [',
      add: '  recipe,',
    },
  ],
}

const route: Recipe = {
  title: 'Add a route',
  files: {
    'src/orders/orders/recipes.schemas.ts': `
import { z } from 'zod'
import { textSchema } from '../../platform/http/schemas.ts'

export const Recipe = z.object({ object: z.literal('recipe'), id: textSchema(100), name: textSchema(100) }).meta({ id: 'Recipe' })
export const NewRecipe = z.strictObject({ name: textSchema(100) }).meta({ id: 'NewRecipe' })

export const recipeExample = { object: 'recipe' as const, id: 'Rendang', name: 'Rendang' }
`,
    'src/orders/orders/recipes.routes.ts': `
import { recordEvents } from '../../events/events.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { recipeEvents } from '../recipes.events.ts'
import { NewRecipe, Recipe, recipeExample } from './recipes.schemas.ts'

export const recipeRoutes = (): Route[] => [
  defineRoute({
    id: 'createRecipe',
    method: 'POST',
    path: '/recipes',
    tag: 'Orders',
    summary: 'Create a recipe',
    description: 'Creates a recipe.',
    access: key('orders:write'),
    idempotency: 'transaction',
    body: NewRecipe,
    reply: { status: 201, body: Recipe },
    example: { body: { name: 'Rendang' }, reply: recipeExample },
    handle: async ({ tx, caller, body }) => {
      const data = { object: 'recipe' as const, id: body.name, name: body.name }
      await recordEvents(tx, caller.orgId, [{ type: recipeEvents.created, subject: body.name, data }], Date.now())
      return data
    },
  }),
]
`,
  },
  edits: [
    {
      path: 'src/orders/orders.ts',
      behind: "import type { FindChat, Order, OrdersContext } from './orders-context.ts'",
      add: "export { recipeRoutes } from './orders/recipes.routes.ts'",
    },
    {
      path: 'src/boot/public-routes.ts',
      behind: "import { messagingRoutes } from '../messaging/messaging.ts'",
      add: "import { recipeRoutes } from '../orders/orders.ts'",
    },
    { path: 'src/boot/public-routes.ts', behind: 'const lists = [', add: '  list(recipeRoutes, () => undefined),' },
  ],
}

const event: Recipe = {
  title: 'Add an event',
  files: {
    'src/orders/recipes.events.ts': `
import { defineEvent } from '../events/events.ts'
import { Recipe, recipeExample } from './orders/recipes.schemas.ts'

export const recipeEvents = {
  created: defineEvent({
    name: 'recipe.created',
    description: 'A recipe was created.',
    data: Recipe,
    example: recipeExample,
  }),
}
`,
  },
  edits: [
    {
      path: 'console/app/text/server-id.ts',
      behind: 'const events: Record<string, string> = {',
      add: "  'recipe.created': 'Resep dibuat.',",
    },
  ],
}

const page: Recipe = {
  title: 'Add a page to the console',
  files: {
    'console/app/pages/RecipesPage.tsx': `
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { useSay } from '../text/text.tsx'
import { Page } from '../ui/Page.tsx'

export function RecipesPage() {
  const say = useSay()
  const create = useMutation({
    mutationFn: () => call('POST /api/proxy/recipes', { body: { name: 'Rendang' } }),
  })
  return (
    <Page title={say('nav.recipes')}>
      <button type="button" onClick={() => create.mutate()}>
        {create.data?.name}
      </button>
    </Page>
  )
}
`,
  },
  edits: [
    {
      path: 'console/app/text/en.ts',
      behind: "  'nav.audit': 'Audit log',",
      add: "  'nav.recipes': 'Recipes',",
    },
    {
      path: 'console/app/text/id.ts',
      behind: "  'nav.audit': 'Log audit',",
      add: "  'nav.recipes': 'Resep',",
    },
    {
      path: 'console/app/routes.tsx',
      behind: "    component: lazyRouteComponent(() => import('./pages/AccountPage.tsx'), 'AccountPage'),",
      add: `  })
  const recipes = createRoute({
    getParentRoute: () => inside,
    path: '/recipes',
    component: lazyRouteComponent(() => import('./pages/RecipesPage.tsx'), 'RecipesPage'),`,
    },
    { path: 'console/app/routes.tsx', behind: '        account,', add: '        recipes,' },
    {
      path: 'console/app/components/navigation.ts',
      behind: "      { to: '/people', text: 'nav.people', icon: 'people' },",
      add: "      { to: '/recipes', text: 'nav.recipes', icon: 'order', right: 'orders:read' },",
    },
  ],
}

export const recipes: Recipe[] = [provider, channel, route, event, page]
