import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { structured } from '../support/mcp.ts'
import { anOAuthProgram, type OAuthProgram } from '../support/oauth-program.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { runCommandHere } from '../support/run-command.ts'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { signIn, useConsoleServer } from './console-server.ts'

const BUDI = '+6281322223333'

/** A program that is given our address and nothing else, and the person whom it sends to our page. */
describeInBrowser('connecting a program', () => {
  const browser = useBrowser()
  const provider = startOidcProvider()
  const server = useConsoleServer(browser, {
    environment: {
      NEXKIT_OIDC_ISSUER: provider.issuer,
      NEXKIT_OIDC_CLIENT_ID: provider.clientId,
      NEXKIT_OIDC_CLIENT_SECRET: provider.clientSecret,
      NEXKIT_OIDC_NAME: 'Toko Login',
    },
  })
  const callbacks: URL[] = []
  const programs: OAuthProgram[] = []
  // What a program on the person's own computer opens for the answer.
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    // A browser asks for an icon as well.
    if (url.pathname === '/callback') callbacks.push(url)
    response.setHeader('content-type', 'text/html').end('<title>Program</title>You can close this window.')
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    for (const program of programs) await program.close()
    listener.close()
    await provider.stop()
  })
  const aProgram = () => {
    const { port } = listener.address() as AddressInfo
    const program = anOAuthProgram({ url: `${server.url}/mcp`, redirectUrl: `http://127.0.0.1:${port}/callback` })
    programs.push(program)
    return program
  }
  const isFit = async (page: Page) => {
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([await findAccessProblems(page), tooWide > 1]).toEqual([[], false])
  }
  /** What the program hears once this button is clicked; the browser has arrived there then. */
  const answerTo = async (page: Page, button: string): Promise<URL> => {
    const before = callbacks.length
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.getByText('You can close this window.').waitFor()
    expect(callbacks.length).toBe(before + 1)
    return callbacks.at(-1) as URL
  }
  let client: Client

  test('a person signs in, sees who asks for what, leaves something out and agrees; the program works', async () => {
    const program = aProgram()
    const page = await server.visit('/')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto((await program.begin()).href)
    await page.waitForURL(/\/console\/sign-in/)
    await signIn(page, server.owner)
    await page.getByRole('heading', { name: '“Claude” wants to connect' }).waitFor()
    await page.getByText('127.0.0.1', { exact: true }).waitFor()
    await page.getByText('or changes an order or chat, needs approval first').waitFor()
    await isFit(page)
    await page.getByLabel('Create, update and refund orders').uncheck()
    const callback = await answerTo(page, 'Connect')
    expect(callback.searchParams.get('state')).toBe('of-the-program')
    client = await program.finish(callback)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect([names.includes('send_message'), names.includes('create_order')]).toEqual([true, false])
  })

  test('what it wants to send waits for a person, and is sent once they approve', async () => {
    const words = 'Kak, pesanannya sudah siap.'
    const asked = structured(await client.callTool({ name: 'send_message', arguments: { to: BUDI, body: words } }))
    const { approval } = asked as { approval: { id: string } }
    const page = await server.enter('/approvals')
    const card = page.getByRole('article').filter({ hasText: words })
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByText('Approved by you').waitFor()
    await until(async () => {
      const told = await client.callTool({ name: 'get_approval', arguments: { id: approval.id } })
      return (structured(told) as { status: string }).status === 'done'
    })
  })

  test('its page says what it connected as; it has no token to replace, and is disconnected for good', async () => {
    const page = await server.enter('/agents')
    await page.getByRole('row', { name: 'Claude' }).click()
    await page.getByText('Connected as Claude (127.0.0.1) by').waitFor()
    await isFit(page)
    expect(await page.getByRole('button', { name: 'Rotate token' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Disconnect and revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke “Claude”?' }).getByRole('button', { name: 'Disconnect' }).click()
    await page.locator('.page-head').getByText('Revoked').waitFor()
    await expect(client.listTools()).rejects.toThrow()
  })

  test('on a telephone, in Indonesian, a person says no, and the program hears it', async () => {
    const program = aProgram()
    const page = await server.visit('/', { isPhone: true, language: 'id', session: await server.signIn() })
    await page.goto((await program.begin()).href)
    await page.getByRole('heading', { name: '“Claude” ingin terhubung' }).waitFor()
    await isFit(page)
    const callback = await answerTo(page, 'Jangan hubungkan')
    expect(callback.searchParams.get('error')).toBe('access_denied')
  })

  test('who may not manage agents is told so, and whom to ask', async () => {
    const session = await server.signIn(await server.invite('viewer'))
    const page = await server.visit('/', { session })
    await page.goto((await aProgram().begin()).href)
    await page.getByText('You can’t connect programs here').waitFor()
    await page.getByText('Ask an owner, admin or developer').waitFor()
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).count()).toBe(0)
    await isFit(page)
  })

  test('a request that goes to a foreign address goes nowhere', async () => {
    const page = await server.visit('/', { session: await server.signIn() })
    const asked = await aProgram().begin()
    asked.searchParams.set('redirect_uri', 'https://evil.example/callback')
    await page.goto(asked.href)
    await page.getByText('cannot be connected').waitFor()
    expect(new URL(page.url()).origin).toBe(server.url)
    await isFit(page)
  })

  test('a request that is not valid leads nowhere by itself; the program hears it once a person says so', async () => {
    const page = await server.visit('/', { session: await server.signIn() })
    const asked = await aProgram().begin()
    asked.searchParams.set('response_type', 'token')
    const before = callbacks.length
    await page.goto(asked.href)
    await page.getByText('isn’t valid, so it can’t be connected').waitFor()
    await page.getByText(/^127\.0\.0\.1:\d+$/).waitFor()
    await isFit(page)
    expect([new URL(page.url()).origin, callbacks.length]).toEqual([server.url, before])
    await page.getByRole('link', { name: 'Back to the program' }).click()
    await page.getByText('You can close this window.').waitFor()
    expect(callbacks.at(-1)?.searchParams.get('error')).toBe('invalid_request')
  })

  test('who is in two organizations chooses, and it is an agent there and nowhere else; agreeing again is told as that', async () => {
    const shop = ['--org', 'second-shop', '--role', 'owner']
    const made = [
      await runCommandHere(server.installation, 'org', 'create', '--name', 'Second Shop'),
      await runCommandHere(
        server.installation,
        'person',
        'create',
        ...shop,
        '--email',
        server.owner.email,
        '--name',
        'Owner',
      ),
    ]
    expect(made.map(({ code }) => code)).toEqual([0, 0])
    const program = aProgram()
    const page = await server.visit('/', { session: await server.signIn() })
    const connect = async () => {
      await page.goto((await program.begin()).href)
      await page.getByRole('heading', { name: '“Claude” wants to connect' }).waitFor()
    }
    await connect()
    await page.getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option', { name: 'Second Shop' }).click()
    await until(async () => (await page.getByRole('combobox', { name: 'Organization' }).inputValue()) === 'Second Shop')
    await isFit(page)
    const callback = await answerTo(page, 'Connect')
    const there = await program.finish(callback)
    expect(structured(await there.callTool({ name: 'get_me', arguments: {} }))).toMatchObject({
      tenant: { slug: 'second-shop' },
    })
    await page.goto(`${server.url}/console/agents`)
    await page.getByRole('row', { name: 'Claude' }).getByText('Active').waitFor()
    program.forget()
    await connect()
    await page.getByText('It is already connected as “Claude”.').waitFor()
  })

  test('single sign-on leads to the page that was wanted, and a person without an account reads what to do', async () => {
    const page = await server.visit('/orders', { isPhone: true, isDark: true, language: 'id' })
    const button = page.getByRole('button', { name: 'Masuk dengan Toko Login' })
    await button.waitFor()
    await isFit(page)
    await button.click()
    await page.getByText('Minta undangan kepada pemilik atau admin').waitFor()
    await button.waitFor()
    await isFit(page)
    provider.person = { sub: 'owner', email: server.owner.email, email_verified: true }
    await button.click()
    await page.waitForURL(/\/console\/orders/)
    await page.getByRole('heading', { name: 'Pesanan' }).first().waitFor()
    const wide = await server.visit('/sign-in')
    await wide.getByRole('button', { name: 'Sign in with Toko Login' }).waitFor()
  })

  test('the page of agents tells the address to whoever has none yet, and no page shows ours in a frame', async () => {
    const page = await server.enter('/agents?open=new')
    await page.getByText(`${server.url}/mcp`).first().waitFor()
    await isFit(page)
    const { headers } = await fetch(`${server.url}/console/connect`)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const foreign = server.complaints.filter((line) => !line.startsWith('asked http://127.0.0.1:'))
    expect(foreign).toEqual([])
  })
})
