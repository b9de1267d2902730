import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { until } from '../../../test/support/until.ts'
import { createMailer } from './mail.ts'

const FROM = 'Nexkit <nexkit@example.com>'
const mail = { to: 'sari@example.com', subject: 'Halo · Hello', text: 'Rahasia: café\n.\nlast line' }

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.close())

describe('mail', () => {
  test('arrives as it was written, from the address that was set', async () => {
    const mailer = createMailer({ smtpUrl: server.url, from: FROM, log: quietLog })
    mailer.post(mail)
    await mailer.drain()
    const [received] = server.mails
    expect(received?.from).toContain('<nexkit@example.com>')
    expect(received?.to).toEqual(['<sari@example.com>'])
    expect(received?.headers).toContain('text/plain')
    expect(received?.text.replaceAll('\r\n', '\n')).toContain('Rahasia: café')
    expect(received?.text).toContain('last line')
  })

  test('that cannot be sent is logged without its content and blocks no request', async () => {
    const refusing = await startMailServer({ refuses: true })
    const lines: object[] = []
    const log = { ...quietLog, error: (fields: object, message: string) => void lines.push({ ...fields, message }) }
    const mailer = createMailer({ smtpUrl: refusing.url, from: FROM, log })
    expect(mailer.post(mail)).toBeUndefined()
    await until(() => lines.length > 0)
    expect(lines[0]).toMatchObject({ to: 'sari@example.com', message: 'mail could not be sent' })
    expect(JSON.stringify(lines)).not.toContain('Rahasia')
    await mailer.drain()
    await refusing.close()
  })

  test('to a server that is not there ends in the log as well', async () => {
    const gone = await startMailServer()
    await gone.close()
    const failures: string[] = []
    const log = { ...quietLog, error: (_: object, message: string) => void failures.push(message) }
    const mailer = createMailer({ smtpUrl: gone.url, from: FROM, log })
    mailer.post(mail)
    await mailer.drain()
    expect(failures).toEqual(['mail could not be sent'])
  })
})
