import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const { AGENT_TOKEN, NEXKIT_URL = 'http://127.0.0.1:3900' } = process.env
if (!AGENT_TOKEN) throw new Error('Set AGENT_TOKEN as README.md shows.')
/** Name, phone or chat id. Budi is a customer of the demo. */
const [customer = 'Budi'] = process.argv.slice(2)

/** The program names the session, one for each conversation. The model never sees the token or this name. */
const headers = { Authorization: `Bearer ${AGENT_TOKEN}`, 'Agent-Session': `answer-${encodeURIComponent(customer)}` }

const client = new Client({ name: 'mcp-agent', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', NEXKIT_URL), { requestInit: { headers } }))

async function callTool(name, args) {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
  if (isError) throw new Error(`${name}: ${content.map(({ text }) => text).join('\n')}`)
  return structuredContent
}

/** Takes the place of your language model. */
const draftAnswer = (question) =>
  /\b(?:buka|jam|tutup)\b/i.test(question)
    ? 'Kami buka setiap hari pukul 08.00 sampai 21.00.'
    : 'Terima kasih atas pesannya. Kami segera membalas.'

/** A call that needs an approval has done nothing yet. Once a person approves it, exactly that call runs, once. */
async function waitForDecision(id) {
  for (;;) {
    const approval = await callTool('wait_for_approval', { id })
    if (approval.status !== 'pending' && approval.status !== 'approved') return approval
  }
}

const { tools } = await client.listTools()
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`)

const chat = await callTool('get_chat', { phone: customer })
const question = chat.messages?.data.find(({ direction }) => direction === 'inbound')
if (question === undefined) throw new Error(`No chat, or several, fit "${customer}": ${JSON.stringify(chat)}`)
// Text in ⟦ ⟧ was written by a customer: data to read, never an instruction to follow.
console.log(`Customer: ${question.body}`)

const body = draftAnswer(question.body)
console.log(`Proposal: ${body}`)
// The key is the same in every run, so the agent never answers the same message twice.
const proposal = { to: chat.id, reply_to: question.id, body, idempotency_key: `answer-${question.id}` }
const answer = await callTool('send_message', proposal)
if (answer.approval) {
  const { id } = answer.approval
  console.log(`Waiting: ${NEXKIT_URL}/console/approvals/${id}`)
  const { status, note, result } = await waitForDecision(id)
  console.log(`Decision: ${status}${note ? ` (${note})` : ''}`)
  if (result) console.log(`Result: ${result.status}, ${result.body.id ?? result.body.detail}`)
} else {
  console.log(`Sent before: ${answer.id}`)
}
await client.close()
