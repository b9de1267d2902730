import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { type Session, useConsoleServer } from './console-server.ts'

describeInBrowser('the command palette and the clock', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  beforeAll(async () => {
    session = await server.signIn()
    await until(async () => {
      const { data } = await server.call<{ data: unknown[] }>(session, 'GET', '/api/proxy/chats')
      return data.length >= 2
    })
  })
  const open = async (page: Page) => {
    await page.locator('main h1').first().waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search or go to…' })
    await field.waitFor()
    return field
  }

  test('the palette opens the chat of a customer when part of the name is typed', async () => {
    const page = await server.enter('/keys')
    const field = await open(page)
    await field.fill('sar')
    await page
      .getByRole('option', { name: /^Sari \+62/ })
      .first()
      .waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await field.press('Enter')
    await page.waitForURL(/\/chats\?open=chat_/)
    await page.getByRole('heading', { name: 'Sari' }).first().waitFor()
  })

  test('letters after g go to a page, and ? shows every shortcut when no field has the focus', async () => {
    const page = await server.enter('/keys')
    await page.locator('main h1').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL(/\/webhooks$/)
    await page.keyboard.press('?')
    const map = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await map.getByText('Next row').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await map.waitFor({ state: 'hidden' })
    const field = await open(page)
    await field.fill('g?')
    expect(await field.inputValue()).toBe('g?')
    expect(await map.count()).toBe(0)
  })

  test('the palette keeps the chosen entry in sight and names it when the arrows move', async () => {
    const page = await server.enter('/keys')
    const field = await open(page)
    for (let step = 0; step < 14; step += 1) await field.press('ArrowDown')
    const chosen = page.getByRole('option', { selected: true })
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    const isInSight = await chosen.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      const list = element.closest('.mantine-ScrollArea-viewport')?.getBoundingClientRect()
      return list !== undefined && top >= list.top - 1 && bottom <= list.bottom + 1
    })
    expect(isInSight).toBe(true)
  })

  test('the palette does what its actions say when one is chosen', async () => {
    const page = await server.enter('/keys')
    const field = await open(page)
    await field.fill('create order')
    await field.press('Enter')
    await page.getByRole('heading', { name: 'Create order' }).waitFor()
    await (await open(page)).fill('dark')
    const before = await page.locator('html').getAttribute('data-mantine-color-scheme')
    await page.getByRole('option', { name: /dark mode/ }).click()
    await until(async () => (await page.locator('html').getAttribute('data-mantine-color-scheme')) !== before)
    await (await open(page)).fill('no such thing at all')
    await page.getByText('No results').waitFor()
  })

  test('a relative time changes when a second has passed', async () => {
    await server.call(session, 'POST', '/api/console/keys', { name: 'Ticking', scopes: ['events:read'] })
    const page = await server.enter('/events')
    const created = page.locator('tbody time').first()
    const before = await created.textContent()
    await until(async () => (await created.textContent()) !== before)
  })
})
