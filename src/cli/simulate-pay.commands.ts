import {
  type SimulatedScenario,
  simulatedScenarios,
  simulatePay,
  simulateRefund,
} from '../payments/connectors/simulator/simulator.ts'
import { type CommandValues, defineCommand, jsonOption, UsageError } from './framework/command.ts'
import { printJson, printLine } from './framework/output.ts'
import { type NoticeResult, type PaymentStage, type Seen, withPaymentStage } from './payment-simulation.ts'

/** Playing the payer, and the payment network, from the command line. */
const orderOption = {
  type: 'string',
  help: 'the order: its id, ord_…, or its number',
  placeholder: 'order',
  isRequired: true,
} as const
const orgOption = {
  type: 'string',
  help: 'slug of the organization; needed when several have an order of this number',
  placeholder: 'slug',
} as const

const SCENARIOS = `What the network then tells:
  paid        the amount that was asked for, or --amount
  duplicate   the same, told three times
  reordered   paid, and after it an older notice that says pending
  short       Rp1.000 too little            excess     Rp1.000 too much
  twice       two payments for one code     late       paid after it had expired
  reversed    paid, and reversed by the bank (a chargeback)
  partly_reversed                           paid, and Rp1.000 of it reversed
  failed, expired, cancelled
  forged      signed by somebody else       tampered   changed on the way: both are refused`

export const simulatePayCommands = [
  defineCommand({
    name: 'simulate pay',
    summary: 'Let a simulated payer pay an order, or let the network misbehave',
    details: SCENARIOS,
    options: {
      order: orderOption,
      amount: { type: 'string', help: 'rupiah that are paid, instead of what was asked for', placeholder: 'n' },
      scenario: { type: 'string', help: simulatedScenarios.join(', '), placeholder: 'name', fallback: 'paid' },
      payment: { type: 'string', help: 'an older attempt of the order, pay_…', placeholder: 'id' },
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
    summary: 'Let the simulated network finish a refund that it has accepted',
    details: 'A refund of Rp90.201 is accepted and then waits for such a notice; other amounts are given back at once.',
    options: {
      order: orderOption,
      refund: { type: 'string', help: 'which refund, rfd_…; the oldest that waits by default', placeholder: 'id' },
      failed: { type: 'boolean', help: 'the network could not give it back' },
      payment: { type: 'string', help: 'an older attempt of the order, pay_…', placeholder: 'id' },
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
    'The payment cannot be made late while no server is running: nobody notes that it expired. Start one and try again.',
  )
}

async function chooseRefund(stage: PaymentStage, wanted: CommandValues[string]) {
  const { refunds, order } = await stage.look()
  const own = refunds.filter(({ payment_id }) => payment_id === stage.payment.id)
  const refund =
    wanted === undefined ? own.find(({ status }) => status === 'pending') : own.find(({ id }) => id === wanted)
  if (refund !== undefined) return refund
  const says = wanted === undefined ? 'has no refund that waits' : `has no refund ${wanted}`
  throw new UsageError(`Order ${order.number} ${says}. Ask for one with POST /orders/${order.id}/refunds.`)
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
  printLine(`${what}: the network was answered ${answers}.`)
  printLine(
    isWaiting
      ? 'It is on record, and takes effect as soon as a server is running.'
      : `Order ${order.number} is ${order.status}, ${order.payment_status}; its payment is ${payment.status}.`,
  )
}
