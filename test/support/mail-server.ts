import { createServer, type Server, type Socket } from 'node:net'

/** A mail server that takes everything and keeps it. It speaks as much SMTP as a mail needs, on loopback, without TLS. */
export type ReceivedMail = { from: string; to: string[]; headers: string; text: string }

export type MailServer = { url: string; mails: ReceivedMail[]; refuses: boolean; close(): Promise<void> }

export async function startMailServer({ refuses = false } = {}): Promise<MailServer> {
  const kept = { mails: [] as ReceivedMail[], refuses }
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    converse(socket, kept)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return Object.assign(kept, {
    url: `smtp://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

function converse(socket: Socket, kept: Pick<MailServer, 'mails' | 'refuses'>): void {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let mail = { from: '', to: [] as string[] }
  let heard = ''
  let isInData = false
  const answer = (line: string): unknown => {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO' || verb === 'HELO') return say('250 mail.test')
    if (verb === 'MAIL') mail = { from: line.slice(10), to: [] }
    if (verb === 'RCPT') {
      if (kept.refuses) return say('550 no such mailbox')
      mail.to.push(line.slice(8))
    }
    if (verb === 'QUIT') return socket.end('221 bye\r\n')
    if (verb !== 'DATA') return say('250 ok')
    isInData = true
    return say('354 go on')
  }
  const takeMail = (raw: string) => {
    const [headers = '', ...body] = raw.split('\r\n\r\n')
    kept.mails.push({ ...mail, headers, text: decodeBody(headers, body.join('\r\n\r\n')) })
    isInData = false
    say('250 kept')
  }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    heard += chunk.toString('utf8')
    for (;;) {
      const end = isInData ? '\r\n.\r\n' : '\r\n'
      const at = heard.indexOf(end)
      if (at === -1) return
      const part = heard.slice(0, at)
      heard = heard.slice(at + end.length)
      if (isInData) takeMail(part)
      else answer(part)
    }
  })
  say('220 mail.test')
}

function decodeBody(headers: string, body: string): string {
  if (/^content-transfer-encoding: base64/im.test(headers)) return Buffer.from(body, 'base64').toString('utf8')
  if (!/^content-transfer-encoding: quoted-printable/im.test(headers)) return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
