import { z } from 'zod'
import {
  changeOrganization,
  findOrganizationById,
  getProfile,
  holdProfile,
  type Organization,
  type OrganizationProfile,
} from '../../accounts/organizations/organizations.ts'
import { isTimeZone, timeZones } from '../../kernel/clock.ts'
import { languageOf, languages } from '../../orders/notices/notices.ts'
import { GRACE_SECONDS_MAX, orderSettingsOf } from '../../orders/orders-context.ts'
import { latePolicies } from '../../orders/settlement/settlement.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { idSchema, textSchema, visibleText } from '../../platform/http/schemas.ts'
import { callingCodeOf, listCountries } from '../../platform/phone/phone-numbers.ts'
import { session } from './sign-in/session-caller.ts'

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
}

const Settings = z
  .object({ id: idSchema('org'), slug: textSchema(63), currency: textSchema(3), ...settingMembers })
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
  }
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
      const { name, default_country, timezone, ...settings } = body
      const details = {
        ...(name && { name }),
        ...(default_country && { default_country }),
        ...(timezone && { timezone }),
      }
      const profile = await changeOrganization(tx, orgId, { ...details, settings })
      return presentSettings((await findOrganizationById(tx, orgId)) as Organization, profile)
    },
  }),
]
