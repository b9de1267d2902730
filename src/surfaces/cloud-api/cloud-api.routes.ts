import { z } from 'zod'
import { anyKey, defineRoute, key, open, type Route } from '../../platform/http/define-route.ts'
import {
  CloudApiAccessToken,
  CloudApiFields,
  CloudApiInspectedToken,
  CloudApiMediaId,
  CloudApiMessage,
  CloudApiObject,
  CloudApiSent,
  CloudApiSuccess,
  CloudApiTemplates,
  CloudApiTokenQuery,
  CloudApiTokenRequest,
  CloudApiUpload,
  objectIdSchema,
  phoneNumberIdSchema,
  tokenSchema,
} from './cloud-api.schemas.ts'
import { cloudApiDialect } from './cloud-api-dialect.ts'

/**
 * The calls of the dialect, for the description and the request log. They are served by createCloudApi, which takes them
 * under every version and under none; described is the form with `v1`.
 */
const PHONE_NUMBER_ID = '106540352242922'
const MEDIA_ID = '2131320768294021540675070984551047664'

/** Never called: the surface looks at the path before the router does. */
const handle = (): never => {
  throw new Error('this call is served by the dialect')
}

/** What a subscription to webhooks is about; `access` is that of webhook endpoints. */
const SUBSCRIPTIONS: readonly Edge[] = [
  {
    name: 'subscribed_apps',
    of: 'account',
    summaries: {
      GET: 'Get the callback of a business account',
      POST: 'Register the callback of a business account',
      DELETE: 'Remove the callback of a business account',
    },
  },
  {
    name: 'subscriptions',
    of: 'app',
    summaries: {
      GET: 'Get the callback of an app',
      POST: 'Register the callback of an app',
      DELETE: 'Remove the callback of an app',
    },
  },
]

const shared = { tag: 'Cloud API', access: key('messages:send'), handle }

type Edge = { name: string; of: 'number' | 'account' | 'app'; summaries: Partial<Record<Method, string>> }
type Method = 'GET' | 'POST' | 'DELETE'

/** What clients call besides messages and files, in Graph's own shapes. */
const EDGES: readonly Edge[] = [
  { name: 'phone_numbers', of: 'account', summaries: { GET: 'List the numbers of a business account' } },
  { name: 'message_templates', of: 'account', summaries: { POST: 'Create a template', DELETE: 'Delete a template' } },
  { name: 'flows', of: 'account', summaries: { GET: 'List flows' } },
  {
    name: 'whatsapp_business_profile',
    of: 'number',
    summaries: { GET: 'Get the business profile', POST: 'Change the business profile' },
  },
  {
    name: 'whatsapp_commerce_settings',
    of: 'number',
    summaries: { GET: 'Get commerce settings', POST: 'Change commerce settings' },
  },
  { name: 'register', of: 'number', summaries: { POST: 'Register a number' } },
  { name: 'deregister', of: 'number', summaries: { POST: 'Deregister a number' } },
  { name: 'request_code', of: 'number', summaries: { POST: 'Request a verification code' } },
  { name: 'verify_code', of: 'number', summaries: { POST: 'Verify a code' } },
  {
    name: 'block_users',
    of: 'number',
    summaries: { GET: 'List blocked users', POST: 'Block users', DELETE: 'Unblock users' },
  },
  { name: 'uploads', of: 'app', summaries: { POST: 'Begin the upload of a picture for a template or profile' } },
  { name: 'message_qrdls', of: 'number', summaries: { GET: 'List QR codes', POST: 'Create a QR code' } },
]

const APP_ID = '670843887433847'

/** Where callbacks are registered is answered here, never by Meta, and needs the scope of webhook endpoints. */
const subscriptionFacts = (method: Method) => ({
  access: key(method === 'GET' ? 'webhooks:read' : 'webhooks:write'),
  description:
    'Registers the callback of a bot as a webhook endpoint with `format: "whatsapp_cloud"`, in Graph’s shapes. A callback that fails the handshake is refused with code 2200. A new endpoint answers with its secret as `app_secret`, once; registering again keeps it. Nothing is forwarded to Meta.',
})

const edgeRoute = ({ name, of }: Edge, method: Method, summary: string): Route =>
  defineRoute({
    ...shared,
    id: edgeRouteId(method, name),
    method,
    path: `/v1/{${of}_id}/${name}`,
    summary,
    description:
      'Takes and answers what the Graph API does. Real numbers: forwarded to Meta with the stored token. Simulator numbers: answered by the simulator.',
    ...(SUBSCRIPTIONS.some((edge) => edge.name === name) && subscriptionFacts(method)),
    dialect: cloudApiDialect(),
    params: z.object({ [`${of}_id`]: ID_SCHEMAS[of] }),
    ...(method === 'POST' && { body: CloudApiFields }),
    reply: { status: 200, body: CloudApiFields, description: 'As Graph answers.' },
    example: {
      params: { [`${of}_id`]: of === 'app' ? APP_ID : PHONE_NUMBER_ID },
      ...(method === 'POST' && { body: { messaging_product: 'whatsapp' } }),
      reply: method === 'GET' ? { data: [], paging: {} } : { success: true },
    },
  })

const ID_SCHEMAS = {
  number: phoneNumberIdSchema,
  account: phoneNumberIdSchema.meta({ description: 'The business account, or one of its numbers.' }),
  app: phoneNumberIdSchema.meta({ description: 'The id of your app: any number, the same each time.' }),
}

/** By method and edge, for the request log too. */
export const edgeRouteId = (method: string, edge: string) =>
  `${VERBS[method] ?? 'get'}CloudApi${edge.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

const VERBS: Record<string, string> = { GET: 'get', POST: 'post', DELETE: 'delete' }

export const cloudApiRoutes: Route[] = [
  ...[...EDGES, ...SUBSCRIPTIONS].flatMap((edge) =>
    (['GET', 'POST', 'DELETE'] as const).flatMap((method) => {
      const summary = edge.summaries[method]
      return summary === undefined ? [] : [edgeRoute(edge, method, summary)]
    }),
  ),
  ...(['GET', 'POST'] as const).map((method) =>
    defineRoute({
      ...shared,
      id: `${VERBS[method]}CloudApiAccessToken`,
      method,
      path: '/v1/oauth/access_token',
      access: open,
      summary: method === 'GET' ? 'Get an app access token' : 'Get an app access token (form)',
      description:
        'For clients that get an app access token before they register a callback. `client_secret` is the secret of a callback, and the call must carry an API key with the scope `webhooks:write`, which is also the token in the answer. An emulator needs no key: it has one app, whose id and secret it prints.',
      dialect: cloudApiDialect(),
      ...(method === 'GET'
        ? { query: CloudApiTokenQuery }
        : { body: CloudApiTokenRequest, dialect: cloudApiDialect({ bodyType: 'application/x-www-form-urlencoded' }) }),
      reply: { status: 200, body: CloudApiAccessToken },
      example: {
        [method === 'GET' ? 'query' : 'body']: {
          grant_type: 'client_credentials',
          client_id: APP_ID,
          client_secret: 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=',
        },
        reply: { access_token: 'nxk_live_…', token_type: 'bearer' },
      },
    }),
  ),
  defineRoute({
    ...shared,
    id: 'debugCloudApiToken',
    method: 'GET',
    path: '/v1/debug_token',
    access: anyKey,
    summary: 'Inspect an access token',
    description:
      'What an API key of the same organization may do, in the words of the Graph API. Every other token is reported as not valid.',
    dialect: cloudApiDialect(),
    query: z.strictObject({ input_token: tokenSchema.meta({ description: 'The token to inspect.' }) }),
    reply: { status: 200, body: CloudApiInspectedToken },
    example: {
      query: { input_token: 'nxk_live_…' },
      reply: {
        data: {
          app_id: APP_ID,
          type: 'SYSTEM_USER',
          application: 'Nexkit',
          data_access_expires_at: 0,
          expires_at: 0,
          is_valid: true,
          scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
          granular_scopes: [
            { scope: 'whatsapp_business_management', target_ids: [PHONE_NUMBER_ID] },
            { scope: 'whatsapp_business_messaging', target_ids: [PHONE_NUMBER_ID] },
          ],
          user_id: '511730928364015',
        },
      },
    },
  }),
  defineRoute({
    ...shared,
    id: 'sendCloudApiMessage',
    method: 'POST',
    path: '/v1/{phone_number_id}/messages',
    summary: 'Send a message (Cloud API format)',
    description:
      'Accepts the same request as `POST graph.facebook.com/v…/{phone-number-id}/messages` and returns the same responses and errors, so an existing application only changes its base URL and token. Messages appear in the same chats as all others. Also marks messages as read.',
    idempotency: 'own',
    dialect: cloudApiDialect(),
    params: z.object({ phone_number_id: phoneNumberIdSchema }),
    body: CloudApiMessage,
    reply: { status: 200, body: CloudApiSent, description: 'Accepted.' },
    example: {
      params: { phone_number_id: PHONE_NUMBER_ID },
      body: { messaging_product: 'whatsapp', to: '+6281200000001', type: 'text', text: { body: 'Halo' } },
      reply: {
        messaging_product: 'whatsapp',
        contacts: [{ input: '+6281200000001', wa_id: '6281200000001' }],
        messages: [{ id: 'wamid.HBgebXNnXzAxazl4M201cThlMHQ5djdhMmI0YzZkOGZn' }],
      },
    },
  }),
  defineRoute({
    ...shared,
    id: 'uploadCloudApiMedia',
    method: 'POST',
    path: '/v1/{phone_number_id}/media',
    summary: 'Upload a file',
    description: 'Stores a file. Messages use it by its id, here and as `media.id` in `POST /messages`.',
    dialect: cloudApiDialect({ bodyType: 'multipart/form-data' }),
    params: z.object({ phone_number_id: phoneNumberIdSchema }),
    body: CloudApiUpload,
    reply: { status: 200, body: CloudApiMediaId, description: 'Stored.' },
    example: {
      params: { phone_number_id: PHONE_NUMBER_ID },
      body: { messaging_product: 'whatsapp', type: 'image/png', file: '(the bytes)' },
      reply: { id: MEDIA_ID },
    },
  }),
  defineRoute({
    ...shared,
    id: 'listCloudApiTemplates',
    method: 'GET',
    path: '/v1/{account_id}/message_templates',
    summary: 'List templates',
    description: 'The templates of the WhatsApp business account, with their status.',
    dialect: cloudApiDialect(),
    params: z.object({
      account_id: phoneNumberIdSchema.meta({
        description: 'The id of the WhatsApp business account, or of one of its numbers.',
      }),
    }),
    reply: { status: 200, body: CloudApiTemplates },
    example: {
      params: { account_id: PHONE_NUMBER_ID },
      reply: {
        data: [{ name: 'order_ready', language: 'id', status: 'APPROVED', category: 'UTILITY', components: [] }],
        paging: {},
      },
    },
  }),
  defineRoute({
    ...shared,
    id: 'getCloudApiObject',
    method: 'GET',
    path: '/v1/{object_id}',
    summary: 'Get a file or a number',
    description: 'For a file, returns its download address; for a number, its name and phone number.',
    dialect: cloudApiDialect(),
    params: z.object({ object_id: objectIdSchema }),
    reply: { status: 200, body: CloudApiObject },
    example: {
      params: { object_id: MEDIA_ID },
      reply: {
        messaging_product: 'whatsapp',
        url: `https://nexkit.example/api/public/v1/v1/med_01k9x3m5q8e0t9v7a2b4c6d8fg/content?expires=1794648600&signature=9vEJ`,
        mime_type: 'image/png',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        file_size: 4,
        id: MEDIA_ID,
      },
    },
  }),
  defineRoute({
    ...shared,
    id: 'deleteCloudApiMedia',
    method: 'DELETE',
    path: '/v1/{object_id}',
    summary: 'Delete a file',
    description: 'Deletes an uploaded or received file. Messages that contain it stay.',
    dialect: cloudApiDialect(),
    params: z.object({ object_id: objectIdSchema }),
    reply: { status: 200, body: CloudApiSuccess },
    example: { params: { object_id: MEDIA_ID }, reply: { success: true } },
  }),
]
