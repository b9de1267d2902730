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

test('every setting has a sentence of help', () => {
  expect(settingsHelp().filter(({ help }) => help.length < 10)).toEqual([])
})
