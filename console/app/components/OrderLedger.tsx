import type { Order, OrderWithPayments, Payment, Refund } from '../api/orders.ts'
import { type Say, useFailureSay, useSay, useText } from '../text/text.tsx'
import { channelName } from '../ui/brands.ts'
import { rupiah } from '../ui/Money.tsx'
import { State } from '../ui/State.tsx'
import { exactTime } from '../ui/Time.tsx'
import { AttemptState } from './OrderStates.tsx'

type Line = { key: string; at: string; what: React.ReactNode; amount: number; isCounted: boolean }

/** Every payment and every refund, in and out, and what they come to. Attempts without money stand at nought. */
export function OrderLedger({ order }: { order: OrderWithPayments }) {
  const { say, language } = useText()
  const lines = linesOf(order, say)
  const kept = order.amount_paid - order.amount_returned
  const difference = differenceOf(order)
  return (
    <table className="ledger">
      <tbody>
        {lines.map((line) => (
          <tr key={line.key}>
            <td>
              {line.what}
              <div className="quiet figures" style={{ fontSize: 12 }}>
                {exactTime(line.at, language)}
              </div>
            </td>
            <td className={line.isCounted ? undefined : 'quiet'}>{signed(line.amount)}</td>
          </tr>
        ))}
        <tr data-sum>
          <th scope="row">{say('ledger.kept')}</th>
          <td>{rupiah(kept)}</td>
        </tr>
        {difference !== null && (
          <tr>
            <th scope="row">{say(difference > 0 ? 'ledger.due' : 'ledger.tooMuch')}</th>
            <td>{rupiah(Math.abs(difference))}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

/** The remaining amount, or the surplus as a negative number. */
const differenceOf = ({ amount_remaining, amount_overpaid }: Order): number | null =>
  amount_remaining || (amount_overpaid > 0 ? -amount_overpaid : null)

const signed = (amount: number) => (amount < 0 ? `− ${rupiah(-amount)}` : rupiah(amount))

function linesOf(order: OrderWithPayments, say: Say): Line[] {
  const lines = [
    ...order.payments.flatMap((payment) => paymentLines(payment, notesOn(order, payment), say)),
    ...order.refunds.map((refund) => refundLine(refund)),
  ]
  return lines.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

/** What staff wrote when they marked it as paid. */
const notesOn = ({ ledger }: OrderWithPayments, { id }: Payment): string[] =>
  ledger.flatMap(({ payment_id, kind, note }) =>
    payment_id === id && kind === 'capture' && note !== null ? [note] : [],
  )

function paymentLines(payment: Payment, notes: string[], say: Say): Line[] {
  const name = say(`method.${payment.method}`) + (payment.channel === null ? '' : ` ${channelName(payment.channel)}`)
  const came: Line = {
    key: payment.id,
    at: payment.paid_at ?? payment.created_at,
    what: (
      <>
        {name} <AttemptState status={payment.status} />
        {notes.length > 0 && <div className="quiet">{notes.join(' · ')}</div>}
      </>
    ),
    amount: payment.amount_paid,
    isCounted: payment.amount_paid > 0,
  }
  if (payment.amount_reversed === 0) return [came]
  const taken = {
    key: `${payment.id}-reversed`,
    at: payment.updated_at,
    what: `${name}: ${say('ledger.reversed')}`,
    amount: -payment.amount_reversed,
    isCounted: true,
  }
  return [came, taken]
}

function refundLine(refund: Refund): Line {
  const isDone = refund.status === 'succeeded'
  return {
    key: refund.id,
    at: refund.succeeded_at ?? refund.created_at,
    what: <RefundWords refund={refund} />,
    amount: isDone ? -refund.amount : 0,
    isCounted: isDone,
  }
}

function RefundWords({ refund }: { refund: Refund }) {
  const say = useSay()
  const failureSay = useFailureSay()
  return (
    <>
      {say(refund.manual ? 'ledger.refundManual' : 'ledger.refund')} {rupiah(refund.amount)}{' '}
      <State state={refund.status} word={say(`refund.status.${refund.status}`)} />
      {(refund.reason ?? refund.note) && <div className="quiet">{refund.reason ?? refund.note}</div>}
      {refund.error !== null && <div style={{ color: 'var(--bad)' }}>{failureSay(refund.error)}</div>}
    </>
  )
}
