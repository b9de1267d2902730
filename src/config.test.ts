import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { printableConfig, readConfig, settingsHelp } from './config.ts'

const secret = 'x'.repeat(40)

const refusalOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
    return ''
  } catch (error) {
    return String(error)
  }
}

describe('defaults', () => {
  test('an empty environment gives a server on loopback with embedded PostgreSQL and the demo', () => {
    expect(readConfig({})).toMatchObject({
      port: 3900,
      host: '127.0.0.1',
      databaseUrl: null,
      dataDir: './data',
      isDemo: true,
    })
  })

  test('variables of other programs are ignored', () => {
    expect(() => readConfig({ PATH: '/bin', NODE_ENV: 'production' })).not.toThrow()
  })

  test('every variable that our pages export is a name that the next command accepts', () => {
    const guides = ['docs/guides', 'docs/concepts', 'docs/reference'].flatMap((folder) =>
      readdirSync(folder).map((name) => `${folder}/${name}`),
    )
    const text = ['README.md', ...guides].map((path) => readFileSync(path, 'utf8')).join('\n')
    const names = new Set(text.match(/\bNEXKIT_[A-Z0-9_]+\b/g))
    expect([...names]).toContain('NEXKIT_KEY')
    for (const name of names) expect(refusalOf({ [name]: secret })).not.toContain('There is no setting')
  })
})

describe('a wrong environment stops the start with a sentence', () => {
  test.each([
    [{ PORT: 'eighty' }, 'PORT must be a whole number'],
    [{ PORT: '70000' }, 'PORT must be from 0 to 65535'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must begin with postgres://'],
    [{ NEXKIT_DEMO: 'maybe' }, 'NEXKIT_DEMO must be 1 or 0'],
    [{ NEXKIT_TRUSTED_PROXIES: '10.0.0.0/8, nonsense' }, '"nonsense" is not an address range'],
    [{ NEXKIT_WEBHOOK_PORTS: '9000, 70000' }, 'is not a port'],
    [{ NEXKIT_PUBLIC_URL: 'ftp://x' }, 'NEXKIT_PUBLIC_URL must be a URL'],
    [{ NEXKIT_SECRET_KEY: 'short' }, 'at least 16 characters'],
  ])('%p', (environment, sentence) => {
    expect(() => readConfig(environment as Record<string, string>)).toThrow(sentence)
  })

  test('a misspelt name is named with the one that was meant', () => {
    expect(() => readConfig({ NEXKIT_DATADIR: '/x' })).toThrow('Did you mean NEXKIT_DATA_DIR?')
  })

  test('all mistakes are reported at once', () => {
    expect(() => readConfig({ PORT: 'x', NEXKIT_DEMO: 'y' })).toThrow(/PORT.*NEXKIT_DEMO/s)
  })

  test('an own database needs an own secret key', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://h/d' })).toThrow('NEXKIT_SECRET_KEY is required')
    expect(readConfig({ DATABASE_URL: 'postgres://h/d', NEXKIT_SECRET_KEY: secret }).databaseUrl).toBe('postgres://h/d')
  })
})

test('the metrics token may have any length', () => {
  expect(readConfig({ METRICS_TOKEN: 'metrics' }).metricsToken).toBe('metrics')
})

describe('a store for media', () => {
  const store = {
    NEXKIT_S3_ENDPOINT: 'https://s3.example/',
    NEXKIT_S3_BUCKET: 'shop',
    NEXKIT_S3_ACCESS_KEY_ID: 'AKIA',
    NEXKIT_S3_SECRET_ACCESS_KEY: 'storesecret',
  }

  test('is the data folder unless all of it is set', () => {
    expect(readConfig({}).objectStore).toBeNull()
    expect(readConfig({ ...store, NEXKIT_S3_REGION: 'ap-southeast-3' }).objectStore).toEqual({
      endpoint: 'https://s3.example',
      bucket: 'shop',
      region: 'ap-southeast-3',
      accessKeyId: 'AKIA',
      secretAccessKey: 'storesecret',
    })
  })

  test('of which a part is missing stops the start', () => {
    for (const name of Object.keys(store))
      expect(() => readConfig({ ...store, [name]: '' })).toThrow('set all four, or none')
  })
})

test('the printed configuration shows no secret', () => {
  const config = readConfig({
    NEXKIT_S3_ENDPOINT: 'https://s3.example',
    NEXKIT_S3_BUCKET: 'shop',
    NEXKIT_S3_ACCESS_KEY_ID: 'AKIAHIDDEN',
    NEXKIT_S3_SECRET_ACCESS_KEY: 'storesecret',
    DATABASE_URL: 'postgres://user:hunter2@h/d',
    NEXKIT_SECRET_KEY: secret,
    METRICS_TOKEN: 't'.repeat(20),
  })
  const printed = JSON.stringify(printableConfig(config))
  for (const hidden of ['hunter2', secret, 't'.repeat(20), 'AKIAHIDDEN', 'storesecret'])
    expect(printed).not.toContain(hidden)
})

describe('single sign-on', () => {
  const oidc = {
    NEXKIT_OIDC_ISSUER: 'https://login.example.com/realms/shop/',
    NEXKIT_OIDC_CLIENT_ID: 'nexkit',
    NEXKIT_OIDC_CLIENT_SECRET: 'hidden',
  }

  test('is on when issuer, client and secret are set, and the secret is not printed', () => {
    expect(readConfig({}).sso).toBeNull()
    const config = readConfig(oidc)
    const issuer = 'https://login.example.com/realms/shop'
    expect(config.sso).toEqual({ issuer, clientId: 'nexkit', clientSecret: 'hidden', name: 'SSO' })
    expect(readConfig({ ...oidc, NEXKIT_OIDC_NAME: 'Toko Login' }).sso?.name).toBe('Toko Login')
    expect(JSON.stringify(printableConfig(config))).not.toContain('hidden')
  })

  test('of which a part is missing, or that sends the secret in plain text, stops the start', () => {
    for (const name of Object.keys(oidc))
      expect(() => readConfig({ ...oidc, [name]: '' })).toThrow('set all three, or none')
    expect(() => readConfig({ ...oidc, NEXKIT_OIDC_ISSUER: 'http://login.example.com' })).toThrow(
      /must begin with https/,
    )
    expect(readConfig({ ...oidc, NEXKIT_OIDC_ISSUER: 'http://127.0.0.1:8080' }).sso).not.toBeNull()
  })
})

describe('mail', () => {
  const smtp = {
    NEXKIT_SMTP_URL: 'smtp://user:hidden@mail.example.com:587',
    NEXKIT_MAIL_FROM: 'Nexkit <nexkit@example.com>',
  }

  test('is sent when server and sender are set, and its password is not printed', () => {
    expect(readConfig({}).mail).toBeNull()
    const config = readConfig(smtp)
    expect(config.mail).toEqual({ smtpUrl: smtp.NEXKIT_SMTP_URL, from: smtp.NEXKIT_MAIL_FROM })
    expect(JSON.stringify(printableConfig(config))).not.toContain('hidden')
  })

  test('of which a half is missing, or wrong, stops the start', () => {
    for (const name of Object.keys(smtp)) expect(() => readConfig({ ...smtp, [name]: '' })).toThrow(/belong together/)
    expect(() => readConfig({ ...smtp, NEXKIT_SMTP_URL: 'mail.example.com' })).toThrow(/NEXKIT_SMTP_URL must begin/)
    expect(() => readConfig({ ...smtp, NEXKIT_MAIL_FROM: 'Nexkit' })).toThrow(/NEXKIT_MAIL_FROM must be/)
  })
})

describe('telemetry', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }

  test('is off without an endpoint, whatever else is set, and when the SDK is disabled', () => {
    expect(readConfig({ OTEL_TRACES_EXPORTER: 'zipkin', OTEL_SERVICE_NAME: 'x' }).telemetry).toBeNull()
    expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).telemetry).toBeNull()
    expect(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).telemetry).toBeNull()
  })

  test('follows the variables of OpenTelemetry, and its headers are not printed', () => {
    const config = readConfig({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector, x-scope=shop',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_METRICS_EXPORTER: 'otlp',
    })
    expect(config.telemetry).toMatchObject({
      endpoint: 'http://127.0.0.1:4318',
      headers: { authorization: 'Bearer of-the-collector', 'x-scope': 'shop' },
      resourceAttributes: { 'deployment.environment.name': 'production' },
      sampler: { name: 'parentbased_traceidratio', ratio: 0.1 },
      serviceName: 'nexkit',
      exportsTraces: true,
      exportsMetrics: true,
    })
    expect(JSON.stringify(printableConfig(config))).not.toContain('of-the-collector')
  })

  test.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf'],
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER must be one of always_on'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
    [{ OTEL_METRICS_EXPORTER: 'prometheus' }, 'OTEL_METRICS_EXPORTER must be otlp or none'],
  ])('%o stops the start with a sentence', (wrong, sentence) => {
    expect(refusalOf({ ...endpoint, ...wrong })).toContain(sentence)
  })

  test('a header that cannot be read is refused without repeating it', () => {
    const refusal = refusalOf({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'secret-token' })
    expect(refusal).toContain('OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs')
    expect(refusal).not.toContain('secret-token')
  })
})

test('every setting has a sentence of help', () => {
  expect(settingsHelp().filter(({ help }) => help.length < 10)).toEqual([])
})
