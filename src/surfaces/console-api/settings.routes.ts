import { z } from 'zod'
import {
  changeOrganization,
  findOrganizationById,
  getProfile,
  holdProfile,
  type Organization,
  type OrganizationProfile,
} from '../../accounts/organizations/organizations.ts'
import { areInvoicesSent, areReceiptsSent, logoTypes, shopDetailsOf } from '../../accounts/shop-details/shop-details.ts'
import { isTimeZone, timeZones } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { storedAutoReply, weekdays } from '../../messaging/auto-replies/auto-replies.ts'
import { languageOf, languages } from '../../orders/notices/notices.ts'
import { phoneText } from '../../orders/orders/order-requests.schemas.ts'
import { GRACE_SECONDS_MAX, orderSettingsOf } from '../../orders/orders-context.ts'
import { latePolicies } from '../../orders/settlement/settlement.ts'
import type { Tx } from '../../platform/database/database.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, visibleText } from '../../platform/http/schemas.ts'
import { callingCodeOf, impossiblePhone, listCountries, parsePhone } from '../../platform/phone/phone-numbers.ts'
import { session } from './sign-in/session-caller.ts'

const clockTime = z
  .string()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'This must be a time such as 08:00.')
  .meta({ maxLength: 5 })

/** What the organization decides about itself and about how its customers are spoken to. The public API shows the same. */
export const settingMembers = {
  name: visibleText(200),
  default_country: z
    .string()
    .regex(/^[A-Z]{2}$/, { error: 'This must be a country as two capital letters, such as ID.', abort: true })
    .meta({ maxLength: 2, description: 'The country of phone numbers without a country code.' }),
  timezone: textSchema(64),
  language: z.enum(languages).meta({ description: 'The language for customers.' }),
  order_notices: z.boolean().meta({ description: 'Whether customers receive order notices in the chat.' }),
  order_reminders: z
    .boolean()
    .meta({ description: 'Whether customers are reminded before a payment expires and when an order is overdue.' }),
  late_payment: z
    .enum(latePolicies)
    .meta({ description: 'What happens to a payment received after the order has expired.' }),
  order_grace_seconds: z.int().min(0).max(GRACE_SECONDS_MAX),
  receipts_in_chat: z
    .boolean()
    .meta({ description: 'Whether customers receive the receipt as a PDF in the chat when an order is paid.' }),
  invoices_in_chat: z.boolean().meta({
    description: 'Whether customers receive the invoice as a PDF in the chat when an order is to be paid by invoice.',
  }),
  address: textSchema(500)
    .nullable()
    .meta({ description: 'The address of the shop, on receipts and invoices. May have several lines.' }),
  contact_phone: phoneText.nullable().meta({
    description:
      'The number on WhatsApp that payers can ask, in any usual spelling. Null for the first connected number.',
  }),
  contact_email: textSchema(254, 3)
    .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'This must be an e-mail address.')
    .nullable()
    .meta({ pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$', description: 'On receipts and invoices.' }),
  auto_reply: z
    .strictObject({
      enabled: z.boolean(),
      message: visibleText(1000).meta({ description: 'What customers read.' }),
      hours: z
        .array(z.strictObject({ day: z.enum(weekdays), from: clockTime, to: clockTime }))
        .max(28)
        .meta({ description: 'When you are open, in the time zone of the organization.' }),
    })
    .nullable()
    .meta({
      description:
        'The automatic answer to customers who write outside of business hours, once per chat and closed period. An end that is not after its start is on the next day.',
    }),
  tax_number: visibleText(40).nullable().meta({ description: 'The tax number (NPWP) on receipts and invoices.' }),
}

/** Set by `PUT /organization/logo`, not with the other settings. */
export const logoMember = {
  logo: z
    .object({ content_type: z.enum(logoTypes), hash: textSchema(64) })
    .meta({ id: 'OrganizationLogo' })
    .nullable()
    .meta({ description: 'The logo on payment pages, receipts and invoices. `hash` changes with the image.' }),
}

const Settings = z
  .object({ id: idSchema('org'), slug: textSchema(63), currency: textSchema(3), ...settingMembers, ...logoMember })
  .meta({ id: 'Settings' })
/** `params` goes with the refusal of a country or time zone that does not exist. */
export const settingsChange = (params: Record<string, unknown>) =>
  z
    .strictObject({
      ...settingMembers,
      // A stored value is shown as it is, also where it was accepted before these checks existed.
      default_country: settingMembers.default_country.refine((country) => callingCodeOf(country) !== null, {
        message: 'No phone number has this country. Use its two letters, such as ID.',
        params,
      }),
      timezone: settingMembers.timezone.refine(isTimeZone, {
        message: 'This must be a time zone such as Asia/Jakarta.',
        params,
      }),
    })
    .partial()

const SettingsChange = settingsChange({}).meta({ id: 'SettingsChange' })

const SettingChoices = z
  .object({
    countries: z.array(z.object({ code: textSchema(2), calling_code: textSchema(3) })),
    timezones: z.array(textSchema(64)),
  })
  .meta({ id: 'SettingChoices' })

export const presentSettings = (
  { id, slug, currency }: Organization,
  profile: OrganizationProfile,
): z.input<typeof Settings> => {
  const { latePolicy, graceSeconds } = orderSettingsOf(profile)
  const { address, phone, email, taxNumber, logo } = shopDetailsOf(profile)
  return {
    id,
    slug,
    currency,
    name: profile.name,
    default_country: profile.default_country,
    timezone: profile.timezone,
    language: languageOf(profile),
    order_notices: profile.settings.order_notices !== false,
    order_reminders: profile.settings.order_reminders === true,
    late_payment: latePolicy,
    order_grace_seconds: graceSeconds,
    receipts_in_chat: areReceiptsSent(profile),
    invoices_in_chat: areInvoicesSent(profile),
    address,
    contact_phone: phone,
    contact_email: email,
    auto_reply: storedAutoReply(profile.settings),
    tax_number: taxNumber,
    logo: logo && { content_type: logo.contentType, hash: logo.hash },
  }
}

type SettingsInput = z.output<typeof SettingsChange>

/** Requires the lock of the profile. A phone number is stored in E.164, by the country that it will have. */
export async function changeSettings(tx: Tx, orgId: OrgId, input: SettingsInput): Promise<OrganizationProfile> {
  const { name, default_country, timezone, ...settings } = input
  const details = { ...(name && { name }), ...(default_country && { default_country }), ...(timezone && { timezone }) }
  const { contact_phone: text } = settings
  if (text == null) return changeOrganization(tx, orgId, { ...details, settings })
  const country = default_country ?? (await getProfile(tx, orgId)).default_country
  const phone = parsePhone(text, country)
  if (phone === null) throw breaksSchema([impossiblePhone('#/contact_phone')])
  return changeOrganization(tx, orgId, { ...details, settings: { ...settings, contact_phone: phone.e164 } })
}

export const settingsExample = {
  id: 'org_01kmz3v7n2e0a8tq9fj6hx5c4d',
  slug: 'demo-store',
  currency: 'IDR',
  name: 'Demo Store',
  default_country: 'ID',
  timezone: 'Asia/Jakarta',
  language: 'id',
  order_notices: true,
  order_reminders: false,
  late_payment: 'review',
  order_grace_seconds: 0,
  receipts_in_chat: false,
  invoices_in_chat: false,
  address: 'Jl. Melati 5, Bandung 40111',
  contact_phone: '+6281234567890',
  contact_email: 'halo@demo-store.example',
  auto_reply: {
    enabled: true,
    message: 'Kami buka pukul 08.00-17.00. Pesan Anda kami balas besok pagi.',
    hours: [{ day: 'monday' as const, from: '08:00', to: '17:00' }],
  },
  tax_number: '01.234.567.8-901.000',
  logo: null,
}
const shared = { tag: 'Settings', description: 'Of the console.', path: '/settings' } as const
const choicesExample = { countries: [{ code: 'ID', calling_code: '62' }], timezones: ['Asia/Jakarta'] }

export const settingsRoutes = (): Route[] => [
  defineRoute({
    ...shared,
    id: 'getSettings',
    method: 'GET',
    summary: 'Get the settings',
    access: session(null),
    reply: { status: 200, body: Settings },
    example: { reply: settingsExample },
    async handle({ caller: { orgId }, queries }) {
      return presentSettings(
        (await findOrganizationById(queries, orgId)) as Organization,
        await getProfile(queries, orgId),
      )
    },
  }),
  defineRoute({
    ...shared,
    id: 'listSettingChoices',
    method: 'GET',
    path: '/settings/choices',
    summary: 'List countries and time zones',
    access: session(null),
    reply: { status: 200, body: SettingChoices },
    example: { reply: choicesExample },
    handle: async () => ({
      countries: listCountries().map(({ code, callingCode }) => ({ code, calling_code: callingCode })),
      timezones: timeZones(),
    }),
  }),
  defineChange({
    ...shared,
    id: 'changeSettings',
    method: 'PATCH',
    summary: 'Edit the settings',
    access: session('settings:manage'),
    body: SettingsChange,
    reply: { status: 200, body: Settings },
    example: { body: { language: 'id' }, reply: settingsExample },
    lock: (tx, { caller: { orgId } }) => holdProfile(tx, orgId),
    async handle({ tx, caller: { orgId }, body }) {
      const profile = await changeSettings(tx, orgId, body)
      return presentSettings((await findOrganizationById(tx, orgId)) as Organization, profile)
    },
  }),
]
