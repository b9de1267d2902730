import {
  type SimulatedScenario,
  simulatedScenarios,
  simulatePay,
  simulateRefund,
} from '../payments/connectors/simulator/simulator.ts'
import { type CommandValues, defineCommand, jsonOption, UsageError } from './framework/command.ts'
import { printJson, printLine } from './framework/output.ts'
import { type NoticeResult, type PaymentStage, type Seen, withPaymentStage } from './payment-simulation.ts'

/** Plays the payer and the payment network. */
const orderOption = {
  type: 'string',
  help: 'id (ord_…) or number of the order, or "latest" for the newest one',
  placeholder: 'order',
  isRequired: true,
} as const
const orgOption = {
  type: 'string',
  help: 'slug of the organization; required when several have an order of this number',
  placeholder: 'slug',
} as const

const SCENARIOS = `Scenarios:
  paid             the amount of the payment, or --amount
  duplicate        paid, with the same notification three times
  reordered        paid, then an older notification that says pending
  short, excess    Rp 1.000 less or more than the amount
  twice            two payments of one QR code
  late             paid after the payment expired
  reversed         paid, then reversed by the bank (a chargeback)
  partly_reversed  paid, then Rp 1.000 of it reversed
  failed, expired, cancelled
  forged           wrong signature; the notification is refused
  tampered         content changed after signing; the notification is refused`

export const simulatePayCommands = [
  defineCommand({
    name: 'simulate pay',
    summary: 'Pay an order as a simulated payer, or simulate a payment failure',
    details: SCENARIOS,
    examples: [
      'npx nexkit simulate pay --order latest',
      'npx nexkit simulate pay --order latest --amount 10000',
      'npx nexkit simulate pay --order latest --scenario reversed',
    ],
    options: {
      order: orderOption,
      amount: { type: 'string', help: 'amount paid in rupiah (default the amount of the payment)', placeholder: 'n' },
      scenario: { type: 'string', help: 'one of the scenarios above', placeholder: 'name', fallback: 'paid' },
      payment: {
        type: 'string',
        help: 'another payment of the order, pay_… (default the current one)',
        placeholder: 'id',
      },
      org: orgOption,
      json: jsonOption,
    },
    async run({ values }) {
      const scenario = readScenario(String(values.scenario))
      const amount = values.amount === undefined ? {} : { amount: readAmount(String(values.amount)) }
      await withPaymentStage(values, async (stage) => {
        const results: NoticeResult[] = []
        if (scenario === 'late') results.push(...(await expireFirst(stage)))
        const now = new Date()
        for (const notice of simulatePay({ account: stage.account, attempt: stage.payment, now, ...amount }, scenario))
          results.push(await stage.post(notice))
        report(values, { stage, what: scenario, results, seen: await stage.wait() })
      })
    },
  }),
  defineCommand({
    name: 'simulate refund',
    summary: 'Complete a pending refund as the simulated network',
    details: 'A refund of Rp 90.201 stays pending until this command completes it. Other amounts are refunded at once.',
    examples: ['npx nexkit simulate refund --order latest', 'npx nexkit simulate refund --order latest --failed'],
    options: {
      order: orderOption,
      refund: { type: 'string', help: 'id of the refund, rfd_… (default the oldest pending one)', placeholder: 'id' },
      failed: { type: 'boolean', help: 'let the refund fail' },
      payment: {
        type: 'string',
        help: 'another payment of the order, pay_… (default the current one)',
        placeholder: 'id',
      },
      org: orgOption,
      json: jsonOption,
    },
    async run({ values }) {
      await withPaymentStage(values, async (stage) => {
        const { id, amount } = await chooseRefund(stage, values.refund)
        const payment = { account: stage.account, attempt: stage.payment, now: new Date() }
        const notice = simulateRefund(payment, { id, amount, ...(values.failed === true && { hasFailed: true }) })
        const results = [await stage.post(notice)]
        const what = values.failed === true ? 'refund failed' : 'refunded'
        report(values, { stage, what, results, seen: await stage.wait() })
      })
    },
  }),
]

/** A late payment arrives after the expiry, so this first expires the payment. */
async function expireFirst(stage: PaymentStage): Promise<NoticeResult[]> {
  if (stage.payment.status !== 'pending') return []
  const results: NoticeResult[] = []
  for (const notice of simulatePay({ account: stage.account, attempt: stage.payment, now: new Date() }, 'expired'))
    results.push(await stage.post(notice))
  const { isWaiting } = await stage.wait()
  if (!isWaiting) return results
  throw new UsageError(
    'A late payment needs a running server, which records that the payment expired. Start the server and try again.',
  )
}

async function chooseRefund(stage: PaymentStage, wanted: CommandValues[string]) {
  const { refunds, order } = await stage.look()
  const own = refunds.filter(({ payment_id }) => payment_id === stage.payment.id)
  const refund =
    wanted === undefined ? own.find(({ status }) => status === 'pending') : own.find(({ id }) => id === wanted)
  if (refund !== undefined) return refund
  const says = wanted === undefined ? 'has no pending refund' : `has no refund ${wanted}`
  throw new UsageError(`Order ${order.number} ${says}. Create one with POST /orders/${order.id}/refunds.`)
}

function readScenario(text: string): SimulatedScenario {
  const scenario = simulatedScenarios.find((known) => known === text)
  if (scenario === undefined) throw new UsageError(`--scenario must be one of ${simulatedScenarios.join(', ')}.`)
  return scenario
}

function readAmount(text: string): number {
  // A point is for thousands and nothing else: 1.5 is not fifteen rupiah.
  const amount = Number(text.replaceAll(/[._]/g, ''))
  if (!/^\d+$|^\d{1,3}([._]\d{3})+$/.test(text) || !Number.isSafeInteger(amount) || amount < 1)
    throw new UsageError('--amount must be whole rupiah, such as 25000.')
  return amount
}

type Report = { stage: PaymentStage; what: string; results: NoticeResult[]; seen: Seen }

function report(values: CommandValues, { stage, what, results, seen }: Report): void {
  const { order, payment, isWaiting } = seen
  if (values.json) {
    printJson({
      object: 'simulation',
      org: stage.organization.slug,
      scenario: what,
      notices: results,
      applied: !isWaiting,
      order: { id: order.id, number: String(order.number), status: order.status, payment_status: order.payment_status },
      payment: { id: payment.id, status: payment.status, amount_paid: payment.amount_paid },
    })
    return
  }
  const answers = results.map(({ status, answer }) => `${status} ${answer}`).join(', ')
  printLine(`Reported "${what}" as the payment network. The server answered ${answers}.`)
  printLine(
    isWaiting
      ? 'The notification is recorded and takes effect when a server is running.'
      : `Order ${order.number} is ${order.status} and ${order.payment_status}. Its payment is ${payment.status}.`,
  )
}
