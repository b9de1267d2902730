import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { ChannelField } from '../../channel-connector.ts'

/** What connects a number of Meta's Cloud API, in the order in which its dashboard shows it. */
const secret = z.string().regex(/^[\x21-\x7e]{1,1024}$/, 'This must be given without blanks, as Meta shows it.')
const word = z.string().regex(/^[\x20-\x7e]{1,256}$/, 'This must be at most 256 plain characters.')

export const whatsAppCloudFields: readonly ChannelField[] = [
  {
    name: 'access_token',
    label: 'Access token',
    help: 'of a system user that may use the number; a token from the quick start ends after a day',
    isSecret: true,
    isRequired: true,
    schema: secret,
  },
  {
    name: 'app_secret',
    label: 'App secret',
    help: 'of the Meta app that sends the webhooks; they are signed with it',
    isSecret: true,
    isRequired: true,
    schema: secret,
  },
  {
    name: 'verify_token',
    label: 'Verify token',
    help: 'to be entered at Meta beside the webhook URL; made up when none is given',
    isSecret: true,
    isRequired: true,
    schema: word,
    generate: () => randomBytes(24).toString('base64url'),
  },
  {
    name: 'waba_id',
    label: 'WhatsApp Business account id',
    help: 'needed to list templates',
    isSecret: false,
    isRequired: false,
    schema: z.string().regex(/^\d{5,32}$/, 'This must be the numeric id of the account.'),
  },
  {
    name: 'graph_version',
    label: 'Graph version',
    help: 'version of the API to call',
    isSecret: false,
    isRequired: false,
    schema: z.string().regex(/^v\d{1,3}\.\d{1,2}$/, 'This must be a version such as v25.0.'),
  },
]

export const GRAPH_VERSION = 'v25.0'
export const GRAPH_URL = 'https://graph.facebook.com'
