import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { type Session, useConsoleServer } from './console-server.ts'

const BUDI = '+6281322223333'

/** An agent from its first token to its end, by what is on the screen of those who let it work and who decide what it asks for. */
describeInBrowser('agents in the console', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let token = ''
  let support: Session

  /** As the program of the agent calls, with what it is answered. */
  const call = async (path: string, body?: object) => {
    const reply = await fetch(`${server.url}/api/public/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, json: (await reply.json()) as { id: string; status: string; code?: string } }
  }
  const ask = async (words: string) => {
    const { status, json } = await call('/messages', { to: BUDI, body: words })
    expect([status, json.status]).toEqual([202, 'pending'])
    return json.id
  }
  const cardOf = (page: Page, words: string) => page.getByRole('article').filter({ hasText: words })
  const isFit = async (page: Page) => {
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([await findAccessProblems(page), tooWide > 1]).toEqual([[], false])
  }

  test('one is made by clicks, its token is shown once, and works at once', async () => {
    const page = await server.enter('/agents')
    await page.getByText('No agents yet').waitFor()
    await page.getByRole('button', { name: 'Create agent' }).first().click()
    const form = page.locator('form')
    await form.getByLabel('Name').fill('Kasir Bot')
    await form.getByText('Needs approval: send messages').waitFor()
    await form.getByRole('button', { name: 'Create agent' }).dblclick()
    const code = page.getByRole('dialog').locator('pre.code')
    token = await code.filter({ hasText: /^nxk_live_\w+$/ }).innerText()
    await code.filter({ hasText: `${server.url}/mcp` }).waitFor()
    expect((await call('/me')).status).toBe(200)
    await page.getByLabel('I’ve copied it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await page.getByRole('row', { name: 'Kasir Bot' }).getByText('Active').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    expect(await page.content()).not.toContain(token)
  })

  test('what it wants to send appears by itself, and reaches the customer once somebody approves', async () => {
    const page = await server.enter('/approvals')
    await page.getByText('You’re all caught up').waitFor()
    const words = 'Pesanan Kak Budi sudah siap diambil.'
    const id = await ask(words)
    const card = cardOf(page, words)
    await card.getByRole('heading', { name: `Kasir Bot wants to send a message to Budi (${BUDI})` }).waitFor()
    await page.getByRole('link', { name: 'Approvals' }).getByLabel('1 pending approval').waitFor()
    await isFit(page)
    await card.getByRole('button', { name: 'Approve' }).dblclick()
    await card.getByText('Approved by you').waitFor()
    await card.getByRole('link', { name: 'Open chat' }).click()
    await page.getByRole('log').getByText(words).waitFor()
    expect(await page.getByRole('log').getByText(words).count()).toBe(1)
    // The message is there a moment before the approval is told of it.
    await until(async () => (await call(`/approvals/${id}`)).json.status === 'done')
  })

  test('one that comes while others are looked at is offered, and moves none of them', async () => {
    await ask('Yang pertama')
    const page = await server.enter('/approvals')
    await cardOf(page, 'Yang pertama').waitFor()
    await ask('Yang kedua')
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByRole('button', { name: '1 new' }).click()
    await cardOf(page, 'Yang kedua').waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('link', { name: '2 pending approvals' }).last().click()
    await cardOf(page, 'Yang pertama').waitFor()
  })

  test('a refused one is not sent, and the agent reads why', async () => {
    const id = await ask('Diskon 90 persen!')
    const page = await server.enter(`/approvals/${id}`)
    const card = cardOf(page, 'Diskon 90 persen!')
    await card.getByRole('button', { name: 'Add note' }).click()
    await card.getByLabel('Note').fill('Tidak ada diskon.')
    await card.getByRole('button', { name: 'Refuse' }).click()
    await card.getByText('Refused by you').waitFor()
    expect((await call(`/approvals/${id}`)).json).toMatchObject({ status: 'refused', note: 'Tidak ada diskon.' })
  })

  test('who answers too late is told so, and sees what was decided', async () => {
    const id = await ask('Terlambat')
    const page = await server.enter(`/approvals/${id}`)
    support = await server.signIn(await server.invite('agent'))
    await page.route('**/approve', async (route) => {
      await server.call(support, 'POST', `/api/proxy/approvals/${id}/refuse`, {})
      await route.continue()
    })
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('You’re too late').waitFor()
    await page.getByText('Refused by agent-').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await page.unrouteAll()
  })

  test('what has become another request since it was asked can only be refused', async () => {
    const id = await ask('Sudah tidak boleh')
    const page = await server.enter(`/approvals/${id}`)
    const [owner, me] = [await server.signIn(), (await call('/me')).json as unknown as { agent: { id: string } }]
    const decide = (decision: string) =>
      server.call(owner, 'PATCH', `/api/console/agents/${me.agent.id}`, {
        rules: [{ operation: 'sendMessage', decision }],
      })
    await decide('deny')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Refuse it, or change the rules of the agent').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('Refused by you').waitFor()
    await decide('ask')
  })

  test('support decides, but makes no agents', async () => {
    const page = await server.visit('/', { session: support })
    await page.getByRole('link', { name: 'pending approvals' }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Agents' }).count()).toBe(0)
  })

  test('a template is approved by the words that the customer would read, also for somebody new', async () => {
    const parameters = ['A-1042', 'Rp 75.000'].map((text) => ({ type: 'text', text }))
    const template = { name: 'order_paid', language: { code: 'id' }, components: [{ type: 'body', parameters }] }
    const { json } = await call('/messages', { to: '+6281377778888', type: 'template', template })
    const page = await server.enter(`/approvals/${json.id}`)
    await page.getByText('Terima kasih! Pembayaran Rp 75.000 untuk pesanan A-1042 sudah kami terima.').waitFor()
    await isFit(page)
  })

  test('a viewer who follows a link sees what is asked, and which right is missing to decide it', async () => {
    const id = await ask('Untuk dilihat')
    const session = await server.signIn(await server.invite('viewer'))
    const page = await server.visit(`/approvals/${id}`, { session })
    await page.getByText('you need permission to approve or refuse requests of agents').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  test('on a phone, in the dark and in Indonesian, cards and agents are fit for everybody', async () => {
    const session = await server.signIn()
    const page = await server.visit('/approvals', { session, isPhone: true, isDark: true, language: 'id' })
    await cardOf(page, 'Yang kedua').getByRole('button', { name: 'Setujui' }).waitFor()
    await isFit(page)
    await page.goto(`${server.url}/console/agents`)
    await page.getByText('Kasir Bot').click()
    await page.getByRole('button', { name: 'Jeda', exact: true }).waitFor()
    await isFit(page)
  })

  test('pausing stops it at once, resuming lets it go on, and its end is for good', async () => {
    const page = await server.enter('/agents')
    await page.getByRole('button', { name: 'Pause all' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Pause all agents (1 active)?').waitFor()
    await dialog.getByRole('button', { name: 'Pause all' }).click()
    await page.getByRole('row', { name: 'Kasir Bot' }).getByText('Paused').waitFor()
    expect((await call('/chats')).json.code).toBe('agent_paused')
    await page.getByRole('row', { name: 'Kasir Bot' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    expect((await call('/chats')).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    const sure = page.getByRole('dialog', { name: 'Revoke “Kasir Bot”?' })
    await sure.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('main').getByText('Revoked', { exact: true }).first().waitFor()
    await until(async () => (await call('/chats')).status === 401)
  })

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })
})
