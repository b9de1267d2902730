import { beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { type Session, useConsoleServer } from './console-server.ts'

/** Forms: what is chosen is what is saved, and what is typed is not lost. */
describeInBrowser('forms of the console', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  beforeAll(async () => {
    session = await server.signIn()
  })
  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)
  const readSettings = () => call<{ default_country: string; timezone: string }>('GET', '/api/console/settings')

  test('the country is saved as it is named when its name is typed in either language', async () => {
    const page = await server.enter('/settings')
    const country = page.getByRole('combobox', { name: 'Default country' })
    const zone = page.getByRole('combobox', { name: 'Time zone' })
    for (const [typed, code, name] of [
      ['Inggris', 'GB', 'United Kingdom'],
      ['Singapore', 'SG', 'Singapore'],
      ['Indonesia', 'ID', 'Indonesia'],
    ] as const) {
      await country.fill(typed)
      await page.getByRole('option', { name, exact: true }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
      expect((await readSettings()).default_country).toBe(code)
    }
    await zone.fill('Waktu Indonesia Timur')
    await page.getByRole('option', { name: /^Asia\/Jayapura/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await until(async () => (await readSettings()).timezone === 'Asia/Jayapura')
    expect(await findAccessProblems(page)).toEqual([])
    await page.reload()
    await until(async () => (await country.inputValue()).startsWith('Indonesia'))
    expect(await zone.inputValue()).toStartWith('Asia/Jayapura')
    await call('PATCH', '/api/console/settings', { timezone: 'Asia/Jakarta' })
  })

  test('a setting that was typed is still there after a reload when it was not saved', async () => {
    const page = await server.enter('/settings')
    const name = page.getByRole('textbox', { name: 'Name' })
    const before = await name.inputValue()
    await name.fill('Demo Store Tiga')
    await page.reload()
    await until(async () => (await name.inputValue()) === 'Demo Store Tiga')
    await name.fill(before)
    await page.reload()
    await until(async () => (await name.inputValue()) === before)
  })

  test('a country that does not exist is not saved when it is typed', async () => {
    const page = await server.enter('/settings')
    const country = page.getByRole('combobox', { name: 'Default country' })
    await country.fill('Atlantis')
    await page.getByText('No results').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).click()
    await until(async () => (await country.inputValue()).startsWith('Indonesia'))
  })

  test('the default bank is chosen by the name of the bank when a payment account is connected', async () => {
    const page = await server.enter('/settings?tab=payments')
    await page.getByRole('button', { name: 'Connect payment account' }).click()
    const bank = page.getByRole('dialog').getByRole('combobox', { name: 'Default bank' })
    await bank.fill('rakyat')
    await page.getByRole('option', { name: /^BRI/ }).click()
    expect(await bank.inputValue()).toStartWith('BRI')
    await page.keyboard.press('Escape')
    await discard(page)
  })

  const askedFor: [string, string, string, (form: Locator) => Locator][] = [
    ['a key', '/keys?open=new', 'Create key', (form) => form.getByRole('textbox', { name: 'Name' })],
    ['an endpoint', '/webhooks?open=new', 'Create endpoint', (form) => form.getByLabel('Description')],
    ['an agent', '/agents?open=new', 'Create agent', (form) => form.getByRole('textbox', { name: 'Name' })],
    ['a message', '/chats?create=chat', 'New message', (form) => form.getByRole('textbox', { name: 'Message' })],
  ]
  for (const [what, path, title, fieldIn] of askedFor)
    test(`Esc and the close button ask first when the form of ${what} is filled`, async () => {
      const page = await server.enter(path)
      const form = page.getByRole('dialog', { name: title })
      const question = page.getByRole('dialog', { name: 'Discard changes?' })
      const words = () => fieldIn(form).inputValue()
      await fieldIn(form).fill('Tanpa gula')
      await page.keyboard.press('Escape')
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await words()).not.toBe('')
      await page.reload()
      await until(async () => (await words()) !== '')
      await form.getByRole('button', { name: 'Close' }).click()
      await question.waitFor()
      expect(await findAccessProblems(page)).toEqual([])
      await discard(page)
      await form.waitFor({ state: 'detached' })
      await page.goto(`${server.url}/console${path}`)
      await form.waitFor()
      expect(await words()).toBe('')
      await page.keyboard.press('Escape')
      await form.waitFor({ state: 'detached' })
    })

  test('a form closes without a question after it was sent', async () => {
    const page = await server.enter('/keys?open=new')
    await page.getByLabel('Name').fill('Sent')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I’ve copied it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('secrets are not kept over a reload when a number is being connected', async () => {
    const page = await server.enter('/settings?tab=numbers')
    await page.getByRole('button', { name: 'Connect number' }).click()
    const drawer = page.getByRole('dialog', { name: 'Connect number' })
    await drawer.getByLabel('Phone number ID').fill('100000000000999')
    await drawer.getByLabel('Access token').fill('EAAsecret')
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
    expect(kept).toContain('100000000000999')
    expect(kept).not.toContain('EAAsecret')
    await page.keyboard.press('Escape')
    await discard(page)
  })

  async function discard(page: Page) {
    await page.getByRole('dialog', { name: 'Discard changes?' }).getByRole('button', { name: 'Discard' }).click()
  }
})
