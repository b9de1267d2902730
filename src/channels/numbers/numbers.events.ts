import { z } from 'zod'
import { defineEvent } from '../../events/events.ts'
import { idSchema, timeSchema } from '../../platform/http/schemas.ts'

/** What the network reported about a number: events of channels. The data is the report itself, because numbers have no route. */
const text = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })

const NetworkTemplate = z
  .object({
    id: text(512).nullable().meta({ description: 'The id of the template at the network.' }),
    name: text(512).nullable(),
    language: text(512).nullable(),
    status: text(512)
      .nullable()
      .meta({ description: 'Such as `APPROVED`, `REJECTED` or `PAUSED`; null if it did not change.' }),
    category: text(512).nullable().meta({ description: 'Such as `UTILITY`; null if it did not change.' }),
    quality: text(512).nullable().meta({ description: 'Such as `GREEN`; null if it did not change.' }),
  })
  .meta({ id: 'NetworkTemplate', description: 'The template that a report is about.' })

const ReportSource = z.object({ journal_id: idSchema('jrn'), entry: z.int().min(0), change: z.int().min(0) }).meta({
  id: 'ReportSource',
  description: 'The request of the network that Nexkit keeps for 14 days, and the place in it.',
})

const NumberReport = z
  .object({
    object: z.literal('number_report'),
    id: idSchema('num').meta({ description: 'The same as `number_id`: reports have no id.' }),
    number_id: idSchema('num').meta({ description: 'The number that the report names, or whose webhook received it.' }),
    phone_number_id: text(64),
    display_phone: text(32),
    field: text(200).meta({ description: 'The field of the webhook of the network, such as `account_update`.' }),
    event: text(512).nullable().meta({ description: 'The word of the network, such as `FLAGGED`.' }),
    detail: text(1000).meta({ description: 'The report in a sentence; empty if only `value` says it.' }),
    template: NetworkTemplate.nullable(),
    value: z
      .record(text(65_536), z.unknown())
      .nullable()
      .meta({ description: 'What the network sent. Null for a chat history and for a report over 64 KiB.' }),
    source: ReportSource.nullable(),
    reported_at: timeSchema,
  })
  .meta({
    id: 'NumberReport',
    description: 'What the network reported about a business number, its account or its templates.',
  })

export type NumberReportView = z.input<typeof NumberReport>

const example: NumberReportView = {
  object: 'number_report',
  id: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg',
  number_id: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg',
  phone_number_id: '106540352242922',
  display_phone: '+622150001000',
  field: 'phone_number_quality_update',
  event: 'UPGRADE',
  detail: 'UPGRADE, TIER_10K',
  template: null,
  value: { display_phone_number: '622150001000', event: 'UPGRADE', current_limit: 'TIER_10K' },
  source: { journal_id: 'jrn_01k9x3m5q8e0t9v7a2b4c6d8fg', entry: 0, change: 0 },
  reported_at: '2026-11-14T09:30:00.000Z',
}

export const numberUpdated = defineEvent({
  name: 'number.updated',
  description: 'The network changed something about a number or its account: quality, limits, name, review, settings.',
  data: NumberReport,
  example,
})

export const numberRestricted = defineEvent({
  name: 'number.restricted',
  description:
    'The network restricts a number or its account, or is about to: a violation, a ban, low quality, a declined name. The health of the number shows it too.',
  data: NumberReport,
  example: {
    ...example,
    field: 'account_update',
    event: 'DISABLED_UPDATE',
    detail: 'DISABLED_UPDATE, SCHEDULE_FOR_DISABLE, November 20, 2026',
    value: {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: 'November 20, 2026' },
    },
  },
})

export const templateUpdated = defineEvent({
  name: 'template.updated',
  description:
    'The network changed a template: it was approved, rejected, paused or disabled, or has another category or quality.',
  data: NumberReport,
  example: {
    ...example,
    field: 'message_template_status_update',
    event: 'APPROVED',
    detail: 'order_ready, id, APPROVED',
    template: {
      id: '1689556908129832',
      name: 'order_ready',
      language: 'id',
      status: 'APPROVED',
      category: null,
      quality: null,
    },
    value: {
      event: 'APPROVED',
      message_template_id: 1689556908129832,
      message_template_name: 'order_ready',
      message_template_language: 'id',
      reason: 'NONE',
    },
  },
})

export const numberReported = defineEvent({
  name: 'number.reported',
  description:
    'The network reported something that has no other event: a call, a preference, a changed user id, a contact of the Business app, a part of its chat history, a group, or a kind that is new.',
  data: NumberReport,
  example: {
    ...example,
    field: 'user_preferences',
    event: null,
    detail: '',
    value: { user_preferences: [{ wa_id: '6281234567890', category: 'marketing_messages', value: 'stop' }] },
  },
})
