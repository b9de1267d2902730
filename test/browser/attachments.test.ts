import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { useConsoleServer, type VisitOptions } from './console-server.ts'

/** The smallest picture there is: one dot. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const MIB = 1024 * 1024
/** Of the simulator: not on WhatsApp, which is said at once. */
const UNREACHABLE = '+6281200000102'

type Sent = {
  direction: string
  type: string
  media: { filename?: string } | null
  template: { name: string } | null
}

describeInBrowser('files in a chat', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)

  const openChat = async (options: VisitOptions = {}, prepare: (page: Page) => Promise<unknown> = async () => {}) => {
    const page = options.isPhone
      ? await server.visit('/chats', { ...options, session: await server.signIn() })
      : await server.enter('/chats')
    await prepare(page)
    await page.getByText('Sari').first().click()
    const form = page.getByRole('form', { name: 'Reply' })
    await form.waitFor()
    // It comes later and moves the buttons above it, also between the two halves of a click.
    await page.locator('form[data-customer]').waitFor()
    return { page, form }
  }
  const choose = async (page: Page, name: string, bytes: Buffer) => {
    const form = page.getByRole('form', { name: 'Reply' })
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      form.getByRole('button', { name: 'Attach a file' }).click(),
    ])
    const mimeType = name.endsWith('.png') ? 'image/png' : name.endsWith('.txt') ? 'text/plain' : 'application/zip'
    await chooser.setFiles({ name, mimeType, buffer: bytes })
  }
  const transfer = (page: Page, kind: 'paste' | 'drop', name: string) =>
    page.evaluate(
      ([kind, name]) => {
        const data = new DataTransfer()
        data.items.add(new File(['bytes'], name, { type: 'text/plain' }))
        const options = { bubbles: true, cancelable: true }
        if (kind === 'paste')
          document
            .querySelector('form.composer textarea')
            ?.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }))
        else
          document
            .querySelector('.thread-scroll')
            ?.dispatchEvent(new DragEvent('drop', { ...options, dataTransfer: data }))
      },
      [kind, name] as const,
    )

  test('one is chosen, gets a caption, is sent, and is gone from the field', async () => {
    const { page, form } = await openChat()
    await choose(page, 'menu.png', PICTURE)
    await form.getByText('menu.png').waitFor()
    await form.getByRole('textbox', { name: 'Add a caption' }).fill('Menu hari ini')
    expect(await findAccessProblems(page)).toEqual([])
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.bubble').getByText('Menu hari ini').waitFor()
    await page.locator('.bubble img.picture[alt="Image"]').waitFor()
    await form.getByText('menu.png').waitFor({ state: 'detached' })
    await until(async () => (await form.getByRole('textbox').inputValue()) === '')
  })

  test('one is pasted, removed, and another dropped on the thread', async () => {
    const { page, form } = await openChat()
    await transfer(page, 'paste', 'pasted.txt')
    await form.getByText('pasted.txt').waitFor()
    await form.getByRole('button', { name: 'Remove pasted.txt' }).click()
    await form.getByText('pasted.txt').waitFor({ state: 'detached' })
    await transfer(page, 'drop', 'dropped.txt')
    await form.getByText('dropped.txt').waitFor()
  })

  test('one that is pasted before it is known what the number takes is judged when it is known', async () => {
    const known = Promise.withResolvers<void>()
    const { page, form } = await openChat({}, async (window) =>
      window.route('**/media-limits', async (route) => {
        await known.promise
        await route.continue()
      }),
    )
    await transfer(page, 'paste', 'early.txt')
    await form.getByText('Checking which files').waitFor()
    known.resolve()
    await form.getByRole('button', { name: 'Remove early.txt' }).waitFor()
    await form.getByText('Checking which files').waitFor({ state: 'detached' })
    await page.unrouteAll()
  })

  test('what the number does not take is refused before it is uploaded, with the limit, and the words stay', async () => {
    const { page, form } = await openChat()
    const uploads: string[] = []
    page.on('request', (request) => request.url().includes('/api/console/media?') && uploads.push(request.url()))
    await form.getByRole('textbox').fill('what I wrote')
    await choose(page, 'large.png', Buffer.alloc(5 * MIB + 1))
    await form.getByText('up to 5 MB').waitFor()
    await choose(page, 'archive.zip', Buffer.from('PK'))
    await form.getByText('Allowed: jpg').waitFor()
    expect([await form.getByRole('textbox').inputValue(), uploads]).toEqual(['what I wrote', []])
  })

  test('an upload that fails keeps the file and the words, and sending again sends both', async () => {
    const { page, form } = await openChat()
    await choose(page, 'harga.txt', Buffer.from('Kopi 18000'))
    await form.getByRole('textbox').fill('Daftar harga')
    await page.route('**/api/console/media?*', (route) => route.abort())
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await form.getByText('can’t reach the server').waitFor()
    expect(await form.getByRole('textbox').inputValue()).toBe('Daftar harga')
    await page.unroute('**/api/console/media?*')
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.bubble').getByText('harga.txt').waitFor()
    await page.locator('.bubble').getByText('Daftar harga').waitFor()
  })

  test('one that did not get there, and a template, are sent again as they were, with a click', async () => {
    const session = await server.signIn()
    const call = <Reply>(method: string, path: string, body?: unknown) =>
      server.call<Reply>(session, method, path, body)
    const { data: numbers } = await call<{ data: { id: string }[] }>('GET', '/api/console/numbers')
    const number = numbers[0]?.id as string
    await call('POST', '/api/proxy/simulator/messages', { number, from: UNREACHABLE, text: 'Halo?' })
    const find = () => call<{ data: { id: string }[] }>('GET', `/api/proxy/chats?q=${UNREACHABLE.slice(1)}`)
    await until(async () => (await find()).data.length > 0)
    const id = (await find()).data[0]?.id as string
    const template = { name: 'hello_world', language: { code: 'id' } }
    await call('POST', '/api/proxy/messages', { to: id, type: 'template', template })

    const page = await server.enter(`/chats?open=${id}`)
    await choose(page, 'harga.txt', Buffer.from('Kopi 18000'))
    await page.getByRole('form', { name: 'Reply' }).getByRole('button', { name: 'Send', exact: true }).click()
    for (const words of ['harga.txt', 'Selamat datang di WhatsApp']) {
      const bubbles = page.locator('.bubble[data-failed]', { hasText: words })
      await bubbles.first().getByRole('button', { name: 'Resend' }).click()
      await bubbles.nth(1).waitFor()
    }
    const { messages } = await call<{ messages: { data: Sent[] } }>('GET', `/api/proxy/chats/${id}`)
    const sent = messages.data.filter(({ direction }) => direction === 'outbound')
    expect(sent.map(({ type, media, template }) => [type, media?.filename, template?.name])).toEqual([
      ['template', undefined, template.name],
      ['document', 'harga.txt', undefined],
      ['document', 'harga.txt', undefined],
      ['template', undefined, template.name],
    ])
  })

  test('a phone has room for the file, its name and the field', async () => {
    const { page, form } = await openChat({ isPhone: true })
    await choose(page, 'faktur nomor 000123 untuk pelanggan yang namanya panjang.png', PICTURE)
    await form.getByRole('button', { name: /Remove faktur/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await findAccessProblems(page)).toEqual([])
  })
})
