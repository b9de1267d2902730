import { openEmulatorFolder } from '../boot/emulator-folder.ts'
import type { Emulation } from '../emulator.ts'
import { createLog, LOG_LEVELS, type LogLevel } from '../platform/telemetry/log.ts'
import { type CommandValues, defineCommand, jsonOption, readInteger, UsageError } from './framework/command.ts'
import { printFields, printJson, printLine, printNote } from './framework/output.ts'

const text = (help: string, placeholder: string, fallback?: string) =>
  ({ type: 'string', help, placeholder, ...(fallback !== undefined && { fallback }) }) as const

export const emulatorCommands = [
  defineCommand({
    name: 'emulator',
    summary: 'Start an emulator of Meta’s Cloud API for the tests of a bot',
    details:
      'One organization with one simulated number, whose ids and secrets are the same at every start, in a temporary folder that is removed at the end. The number is as strict as Meta: it refuses free-form messages outside of the reply window. Reads no settings of a server and touches no data of one. SIGTERM or Ctrl-C stops it. docs/guides/test-your-bot-offline.md is the guide.',
    examples: [
      'npx nexkit emulator',
      'npx nexkit emulator --callback http://127.0.0.1:8080/webhook',
      'npx nexkit emulator --port 0 --json --exit-with-stdin',
    ],
    options: {
      port: text('port to listen on; 0 for a free one', 'port', '3900'),
      host: text('address to listen on; 0.0.0.0 for every interface', 'address', '127.0.0.1'),
      callback: text('URL of the bot, registered as soon as the bot answers', 'url'),
      token: text('access token of the bot', 'text', 'emulator-token'),
      'app-secret': text('app secret, which signs webhooks', 'text', 'emulator-app-secret'),
      'verify-token': text('verify token of the callback', 'text', 'emulator-verify-token'),
      'phone-number-id': text('id of the number', 'digits', '100000000000001'),
      'waba-id': text('id of the WhatsApp Business account', 'digits', '200000000000001'),
      'app-id': text('id of the app', 'digits', '300000000000001'),
      'display-phone': text('phone number of the bot', 'phone', '+622150001000'),
      seed: text('determines delays, names and ids of the network', 'text', '1'),
      lenient: { type: 'boolean', help: 'accept free-form messages at any time' },
      'exit-with-stdin': { type: 'boolean', help: 'stop when stdin is closed, as when the parent process ends' },
      json: jsonOption,
    },
    async run({ values }) {
      const emulation = readEmulation(values)
      if (values['exit-with-stdin']) stopWithStdin()
      const log = createLog(readLogLevel(process.env))
      // The database is created while the server is loaded.
      const folder = await openEmulatorFolder(process.env, log)
      const { emulate } = await import('../emulator.ts')
      await emulate(
        emulation,
        { folder, log },
        {
          onReady: (url, tookMs) => (values.json ? printJson(factsOf(emulation, url)) : print(emulation, url, tookMs)),
          onProgress: printNote,
        },
      )
    },
  }),
]

function readEmulation(values: CommandValues): Emulation {
  const { callback = null } = values
  return {
    port: readInteger('port', String(values.port), [0, 65_535]),
    host: String(values.host),
    accessToken: readVisible(values, 'token'),
    appSecret: readVisible(values, 'app-secret'),
    verifyToken: readVisible(values, 'verify-token'),
    phoneNumberId: readDigits(values, 'phone-number-id'),
    wabaId: readDigits(values, 'waba-id'),
    appId: readDigits(values, 'app-id'),
    displayPhone: String(values['display-phone']),
    seed: String(values.seed),
    isLenient: values.lenient === true,
    callback: callback === null ? null : readUrl(String(callback)),
  }
}

function readLogLevel({ NEXKIT_LOG_LEVEL: given }: NodeJS.ProcessEnv): LogLevel {
  const level = LOG_LEVELS.find((each) => each === (given || 'warn'))
  if (level === undefined) throw new UsageError('NEXKIT_LOG_LEVEL must be debug, info, warn, error or silent.')
  return level
}

/** What can be sent in a header and is found in a query. */
function readVisible(values: CommandValues, name: string): string {
  const value = String(values[name])
  if (!/^[\x21-\x7e]{8,200}$/.test(value)) throw new UsageError(`--${name} must have 8 to 200 visible characters.`)
  return value
}

function readDigits(values: CommandValues, name: string): string {
  const value = String(values[name])
  if (!/^\d{5,32}$/.test(value)) throw new UsageError(`--${name} must have 5 to 32 digits.`)
  return value
}

function readUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--callback must be a URL such as http://127.0.0.1:8080/webhook, not "${value}".`)
  return url.href
}

/** The parent holds the other end, which closes however it ends. */
function stopWithStdin(): void {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume()
}

const factsOf = (emulation: Emulation, url: string) => ({
  object: 'emulator',
  url,
  api_url: `${url}/api/public/v1`,
  access_token: emulation.accessToken,
  phone_number_id: emulation.phoneNumberId,
  display_phone: emulation.displayPhone,
  waba_id: emulation.wabaId,
  app_id: emulation.appId,
  app_secret: emulation.appSecret,
  verify_token: emulation.verifyToken,
  callback: emulation.callback,
  seed: emulation.seed,
  is_lenient: emulation.isLenient,
})

function print(emulation: Emulation, url: string, tookMs: number): void {
  printLine(`The emulator is ready (${(tookMs / 1000).toFixed(1)} s). Put this into your bot:`)
  printLine()
  printFields([
    ['  Host instead of https://graph.facebook.com', url],
    ['  Access token', emulation.accessToken],
    ['  Phone number id', emulation.phoneNumberId],
    ['  WhatsApp Business account id', emulation.wabaId],
    ['  App id', emulation.appId],
    ['  App secret', emulation.appSecret],
    ['  Verify token', emulation.verifyToken],
  ])
  printLine()
  printLine(`Nexkit's own API, with the same token: ${url}/api/public/v1`)
  if (emulation.callback === null)
    printLine('Webhooks: start with --callback <url>, or let your bot register its callback.')
}
