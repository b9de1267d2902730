import { z } from 'zod'
import type { SsoSettings } from './accounts/people/people.ts'
import { cidrList, httpUrl, integer, issuerUrl, onOff, otlpOrNone, pairList, portList } from './config-schemas.ts'
import { StartError } from './kernel/errors.ts'
import { nearestName } from './kernel/text.ts'
import type { MailSettings } from './platform/mail/mail.ts'
import type { ObjectStoreSettings } from './platform/runtime/object-store.ts'
import { LOG_LEVELS } from './platform/telemetry/log.ts'
import { samplerNames, type TelemetrySettings } from './platform/telemetry/telemetry-settings.ts'

/**
 * The environment as one schema, read once. An invalid value, or a NEXKIT_ name that does not exist, stops
 * the start with a sentence: a misspelt setting that is silently ignored would be noticed only when it matters.
 */
const settings = {
  PORT: { schema: integer(0, 65535).default(3900), help: 'port to listen on' },
  HOST: { schema: z.string().min(1).default('127.0.0.1'), help: 'address to listen on; 0.0.0.0 for every interface' },
  DATABASE_URL: {
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
      .optional(),
    help: 'your own PostgreSQL (15 or newer) instead of the embedded one',
  },
  METRICS_TOKEN: {
    schema: z.string().optional(),
    help: 'bearer token for /metrics; without it, only requests from this machine are answered',
  },
  METRICS_PORT: {
    schema: integer(1, 65535).optional(),
    help: 'second port for /metrics, /healthz and /readyz, which workers open too; with --processes, each process takes the next port',
  },
  NEXKIT_DATA_DIR: {
    schema: z.string().min(1).default('./data'),
    help: 'folder of the embedded database, the secret key and media',
  },
  NEXKIT_DEMO: { schema: onOff.default(true), help: '0 starts without the demo organization' },
  NEXKIT_SECRET_KEY: {
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    help: 'encrypts stored secrets; created in the data folder by default, required with DATABASE_URL',
  },
  NEXKIT_PUBLIC_URL: {
    schema: httpUrl.optional(),
    help: 'public https address of this server, for webhook and payment links',
  },
  NEXKIT_TRUSTED_PROXIES: {
    schema: cidrList.default([]),
    help: 'IP ranges of proxies whose X-Forwarded-For header is trusted, joined with commas',
  },
  NEXKIT_ALLOW_PRIVATE_WEBHOOKS: {
    schema: cidrList.optional(),
    help: 'private IP ranges that webhooks and base URLs may reach, joined with commas; empty for none. By default loopback with the embedded database, unless NEXKIT_DEMO is 0, and otherwise none',
  },
  NEXKIT_ALLOW_HTTP_WEBHOOKS: {
    schema: onOff.default(false),
    help: '1 allows webhooks to public hosts over plain http',
  },
  NEXKIT_ALLOW_ADDRESS_WEBHOOKS: {
    schema: onOff.default(false),
    help: '1 allows webhook URLs with a public IP address instead of a host name',
  },
  NEXKIT_WEBHOOK_PORTS: {
    schema: portList.default([]),
    help: 'ports that webhooks may use in addition to 443, 8443 and 8080, joined with commas',
  },
  NEXKIT_S3_ENDPOINT: {
    schema: httpUrl.optional(),
    help: 'S3-compatible store for media instead of the data folder, such as https://s3.ap-southeast-3.amazonaws.com',
  },
  NEXKIT_S3_BUCKET: { schema: z.string().min(1).optional(), help: 'bucket of the store' },
  NEXKIT_S3_REGION: { schema: z.string().min(1).default('us-east-1'), help: 'region of the bucket' },
  NEXKIT_S3_ACCESS_KEY_ID: { schema: z.string().min(1).optional(), help: 'access key of the bucket' },
  NEXKIT_S3_SECRET_ACCESS_KEY: {
    schema: z.string().min(1).optional(),
    help: 'secret of the access key',
  },
  NEXKIT_AUDIT_CHECKPOINTS: {
    schema: z.string().min(1).optional(),
    help: 'second place for checkpoints of the audit log: a folder, or s3://bucket/prefix in the store',
  },
  NEXKIT_SMTP_URL: {
    schema: z
      .string()
      .regex(/^smtps?:\/\/[^/]+/, 'must begin with smtp:// or smtps://')
      .optional(),
    help: 'mail server for invitations, password links and alerts, such as smtp://user:password@mail.example.com:587; without it, "npx nexkit person reset-password" prints the links',
  },
  NEXKIT_MAIL_FROM: {
    schema: z
      .string()
      .regex(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/, 'must be an email address, such as "Nexkit <nexkit@example.com>"')
      .optional(),
    help: 'sender of the mails, such as Nexkit <nexkit@example.com>',
  },
  NEXKIT_OIDC_ISSUER: {
    schema: issuerUrl.optional(),
    help: 'OpenID Connect provider for single sign-on, such as https://login.example.com/realms/shop; its redirect address is /console/sign-in/sso below NEXKIT_PUBLIC_URL',
  },
  NEXKIT_OIDC_CLIENT_ID: { schema: z.string().min(1).optional(), help: 'ID of this server at that provider' },
  NEXKIT_OIDC_CLIENT_SECRET: { schema: z.string().min(1).optional(), help: 'secret of that client' },
  NEXKIT_OIDC_NAME: {
    schema: z.string().max(40, 'must have at most 40 characters').default('SSO'),
    help: 'name of the provider on the sign-in button',
  },
  NEXKIT_LOG_LEVEL: {
    schema: z.enum(LOG_LEVELS, 'must be debug, info, warn, error or silent').default('info'),
    help: 'lowest level to log: debug, info, warn, error or silent',
  },
  NEXKIT_REQUEST_LOG: { schema: onOff.default(true), help: '0 turns the request log off' },
  NEXKIT_REQUEST_LOG_RETENTION_DAYS: { schema: integer(1, 3650).default(30), help: 'days to keep request logs' },
  NEXKIT_RATE_LIMIT_PER_SECOND: {
    schema: integer(1, 1_000_000).default(100),
    help: 'requests per second of an API key without a limit',
  },
  NEXKIT_RATE_LIMIT_BURST: {
    schema: integer(1, 2_000_000).default(200),
    help: 'requests that such a key may send at once',
  },
  NEXKIT_CLIENT_REGISTRATION: {
    schema: onOff.default(true),
    help: '0 stops MCP clients from registering; clients that publish their own metadata document still connect',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    help: 'OpenTelemetry collector that traces are sent to, such as http://127.0.0.1:4318; without it nothing is sent',
  },
  OTEL_SDK_DISABLED: { schema: onOff.default(false), help: 'true sends nothing, whatever the endpoint is' },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: pairList.default({}),
    help: 'headers for the collector, such as authorization=Bearer%20token, joined with commas',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    schema: z
      .literal('http/protobuf', 'must be http/protobuf: the collector is called over HTTP, on port 4318 by default')
      .default('http/protobuf'),
    help: 'protocol of the collector; only http/protobuf',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    schema: integer(100, 60_000).default(10_000),
    help: 'milliseconds that an export may take',
  },
  OTEL_TRACES_EXPORTER: { schema: otlpOrNone.default('otlp'), help: 'none sends no traces' },
  OTEL_METRICS_EXPORTER: {
    schema: otlpOrNone.default('none'),
    help: 'otlp also sends the metrics of /metrics to the collector',
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    schema: integer(1_000, 3_600_000).default(60_000),
    help: 'milliseconds between two exports of metrics',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(samplerNames, `must be one of ${samplerNames.join(', ')}`).default('parentbased_always_on'),
    help: `which traces are recorded: ${samplerNames.join(', ')}`,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z
      .string()
      .regex(/^(?:0|1|0?\.\d+|[01]\.0*)$/, 'must be a number from 0 to 1')
      .transform(Number)
      .default(1),
    help: 'share of the traces that a sampler with traceidratio records, from 0 to 1',
  },
  OTEL_SERVICE_NAME: { schema: z.string().min(1).default('nexkit'), help: 'name of this server in traces' },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: pairList.default({}),
    help: 'attributes of everything that is sent, such as deployment.environment.name=production, joined with commas',
  },
  NEXKIT_DATABASE_CONNECTIONS: { schema: integer(2, 500).default(10), help: 'database connections per process' },
} as const

/** Read by tests, tools and the examples of our pages, not by the server; known here so that they do not count as misspelt. */
const TOOL_SETTINGS = [
  'NEXKIT_KEY',
  'NEXKIT_URL',
  'NEXKIT_REQUIRE_BROWSER',
  'NEXKIT_REQUIRE_SAMPLES',
  'NEXKIT_TEST_CITUS_URL',
  'NEXKIT_TEST_DATABASE_URL',
  'NEXKIT_CHILD_PROCESS',
  'NEXKIT_SUPERVISOR_PID',
]

type SettingName = keyof typeof settings
type Values = { [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> }

export type Config = Readonly<{
  port: number
  host: string
  databaseUrl: string | null
  metricsToken: string | null
  metricsPort: number | null
  dataDir: string
  isDemo: boolean
  secretKey: string | null
  publicUrl: string | null
  trustedProxies: readonly string[]
  /** Null when not set: the demo start then allows loopback, any other nothing. */
  privateWebhookRanges: readonly string[] | null
  allowsHttpWebhooks: boolean
  allowsAddressWebhooks: boolean
  webhookPorts: readonly number[]
  /** Where media are kept; null for the data folder. */
  objectStore: ObjectStoreSettings | null
  /** Where checkpoints of the audit log are written to as well; null for the database only. */
  auditCheckpoints: string | null
  /** Null when no mail is sent. */
  mail: MailSettings | null
  /** Null without single sign-on. */
  sso: SsoSettings | null
  logLevel: Values['NEXKIT_LOG_LEVEL']
  isRequestLogOn: boolean
  isClientRegistrationOn: boolean
  requestLogRetentionDays: number
  rateLimit: { perSecond: number; burst: number }
  databaseConnectionsMax: number
  /** Null when no traces or metrics are sent. */
  telemetry: TelemetrySettings | null
}>

/** An empty text is a list of nothing here. Everywhere else it is as good as unset, as compose files write it. */
const EMPTY_MEANS_NONE = ['NEXKIT_ALLOW_PRIVATE_WEBHOOKS']

/**
 * Variables of OpenTelemetry may be meant for other programs: without an endpoint they are not looked at, and an unknown one is no mistake.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  refuseUnknownNames(environment)
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { schema }] of Object.entries(settings)) {
    const isIdle = name.startsWith('OTEL_') && !environment.OTEL_EXPORTER_OTLP_ENDPOINT
    const isUnset = isIdle || (environment[name] === '' && !EMPTY_MEANS_NONE.includes(name))
    const result = (schema as z.ZodType).safeParse(isUnset ? undefined : environment[name])
    if (result.success) values[name] = result.data
    else problems.push(`${name} ${result.error.issues.map((issue) => issue.message).join(' and ')}`)
  }
  if (problems.length > 0) throw new StartError(`The configuration is wrong: ${problems.join('; ')}.`)
  return toConfig(values as Values)
}

function toConfig(values: Values): Config {
  if (values.DATABASE_URL !== undefined && values.NEXKIT_SECRET_KEY === undefined) {
    throw new StartError(
      'NEXKIT_SECRET_KEY is required when DATABASE_URL is set: it encrypts the secrets in that database. Create one with "openssl rand -base64 32" and keep it.',
    )
  }
  return Object.freeze({
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL ?? null,
    metricsToken: values.METRICS_TOKEN ?? null,
    metricsPort: values.METRICS_PORT ?? null,
    dataDir: values.NEXKIT_DATA_DIR,
    isDemo: values.NEXKIT_DEMO,
    secretKey: values.NEXKIT_SECRET_KEY ?? null,
    publicUrl: values.NEXKIT_PUBLIC_URL ?? null,
    trustedProxies: values.NEXKIT_TRUSTED_PROXIES,
    privateWebhookRanges: values.NEXKIT_ALLOW_PRIVATE_WEBHOOKS ?? null,
    allowsHttpWebhooks: values.NEXKIT_ALLOW_HTTP_WEBHOOKS,
    allowsAddressWebhooks: values.NEXKIT_ALLOW_ADDRESS_WEBHOOKS,
    webhookPorts: values.NEXKIT_WEBHOOK_PORTS,
    objectStore: readObjectStore(values),
    auditCheckpoints: values.NEXKIT_AUDIT_CHECKPOINTS ?? null,
    mail: readMail(values),
    sso: readSso(values),
    logLevel: values.NEXKIT_LOG_LEVEL,
    isRequestLogOn: values.NEXKIT_REQUEST_LOG,
    isClientRegistrationOn: values.NEXKIT_CLIENT_REGISTRATION,
    requestLogRetentionDays: values.NEXKIT_REQUEST_LOG_RETENTION_DAYS,
    rateLimit: { perSecond: values.NEXKIT_RATE_LIMIT_PER_SECOND, burst: values.NEXKIT_RATE_LIMIT_BURST },
    databaseConnectionsMax: values.NEXKIT_DATABASE_CONNECTIONS,
    telemetry: readTelemetry(values),
  })
}

/** All of it, or none: half a store would lose files on the day it is first needed. */
function readObjectStore(values: Values): ObjectStoreSettings | null {
  const given = {
    endpoint: values.NEXKIT_S3_ENDPOINT,
    bucket: values.NEXKIT_S3_BUCKET,
    accessKeyId: values.NEXKIT_S3_ACCESS_KEY_ID,
    secretAccessKey: values.NEXKIT_S3_SECRET_ACCESS_KEY,
  }
  const { endpoint, bucket, accessKeyId, secretAccessKey } = given
  if (Object.values(given).every((value) => value === undefined)) return null
  if (endpoint && bucket && accessKeyId && secretAccessKey)
    return { endpoint, bucket, accessKeyId, secretAccessKey, region: values.NEXKIT_S3_REGION }
  throw new StartError(
    'The configuration is wrong: NEXKIT_S3_ENDPOINT, NEXKIT_S3_BUCKET, NEXKIT_S3_ACCESS_KEY_ID and NEXKIT_S3_SECRET_ACCESS_KEY belong together; set all four, or none.',
  )
}

function readTelemetry(values: Values): TelemetrySettings | null {
  const exportsTraces = values.OTEL_TRACES_EXPORTER === 'otlp'
  const exportsMetrics = values.OTEL_METRICS_EXPORTER === 'otlp'
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined || values.OTEL_SDK_DISABLED || !(exportsTraces || exportsMetrics)) return null
  return {
    endpoint,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: values.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: values.OTEL_SERVICE_NAME,
    resourceAttributes: values.OTEL_RESOURCE_ATTRIBUTES,
    exportsTraces,
    exportsMetrics,
    metricIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
    sampler: { name: values.OTEL_TRACES_SAMPLER, ratio: values.OTEL_TRACES_SAMPLER_ARG },
  }
}

/** A mail without a sender would be refused by every server. */
function readMail({ NEXKIT_SMTP_URL: smtpUrl, NEXKIT_MAIL_FROM: from }: Values): MailSettings | null {
  if (smtpUrl === undefined && from === undefined) return null
  if (smtpUrl !== undefined && from !== undefined) return { smtpUrl, from }
  throw new StartError(
    'The configuration is wrong: NEXKIT_SMTP_URL and NEXKIT_MAIL_FROM belong together; set both, or neither.',
  )
}

function readSso(values: Values): SsoSettings | null {
  const given = {
    issuer: values.NEXKIT_OIDC_ISSUER,
    clientId: values.NEXKIT_OIDC_CLIENT_ID,
    clientSecret: values.NEXKIT_OIDC_CLIENT_SECRET,
  }
  const { issuer, clientId, clientSecret } = given
  if (Object.values(given).every((value) => value === undefined)) return null
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret, name: values.NEXKIT_OIDC_NAME }
  throw new StartError(
    'The configuration is wrong: NEXKIT_OIDC_ISSUER, NEXKIT_OIDC_CLIENT_ID and NEXKIT_OIDC_CLIENT_SECRET belong together; set all three, or none.',
  )
}

function refuseUnknownNames(environment: Record<string, string | undefined>): void {
  const known = [...Object.keys(settings), ...TOOL_SETTINGS]
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('NEXKIT_') || known.includes(name)) continue
    const suggestion = nearestName(name, known)
    throw new StartError(
      `There is no setting ${name}${suggestion === null ? '.' : `. Did you mean ${suggestion}?`} Run "npx nexkit help settings" for the list.`,
    )
  }
}

/** As it would be written in the environment. */
const settingText = (value: unknown): string =>
  typeof value === 'boolean' ? String(Number(value)) : String(value ?? '')

/** For `nexkit help settings` and the reference page. */
export const settingsHelp = (): { name: string; help: string; fallback: string }[] =>
  Object.entries(settings).map(([name, { schema, help }]) => {
    const fallback = (schema as z.ZodType).safeParse(undefined)
    return { name, help, fallback: fallback.success ? settingText(fallback.data) : '' }
  })

/** For the log and `doctor`: what is in force, secrets only as set or not set. */
export const printableConfig = (config: Config): Record<string, unknown> => ({
  ...config,
  databaseUrl: config.databaseUrl === null ? 'embedded' : 'set',
  metricsToken: config.metricsToken === null ? 'not set' : 'set',
  secretKey: config.secretKey === null ? 'kept in the data folder' : 'set',
  telemetry:
    config.telemetry === null ? 'off' : { ...config.telemetry, headers: Object.keys(config.telemetry.headers) },
  mail: config.mail === null ? 'not set' : { from: config.mail.from, smtpUrl: 'set' },
  sso: config.sso === null ? 'not set' : { ...config.sso, clientSecret: 'set' },
  objectStore:
    config.objectStore === null ? 'data folder' : { ...config.objectStore, accessKeyId: 'set', secretAccessKey: 'set' },
})
