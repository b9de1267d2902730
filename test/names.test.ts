import { describe, expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import '../src/boot/public-routes.ts'
import { allCommands, helpFor, overview } from '../src/cli/commands.ts'
import { allErrors } from '../src/kernel/errors.ts'
import { sharedArguments, toolTexts } from '../src/surfaces/mcp/tool-texts.ts'
import { payTexts } from '../src/surfaces/pay/pay-texts.ts'
import { type Name, REPLACED_PHRASES, STOPPED_WORDS, stateNames } from './support/names.ts'

/** What people read uses one name for each state and action, and none of the words that docs/writing.md replaced. */
const root = resolve(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Members of a description that are sentences. Others are names, patterns and values. */
const SENTENCES = ['summary', 'description', 'title', 'detail', 'says', 'next_step', 'help']

function sentencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    typeof value === 'string' ? (SENTENCES.includes(name) ? [value] : []) : sentencesIn(value),
  )
}

const stringsIn = (node: unknown): string[] =>
  typeof node === 'string' ? [node] : Object.values(Object(node)).flatMap(stringsIn)

const linesOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).flatMap((path) =>
    /\.test\.ts$/.test(path)
      ? []
      : read(path)
          .split('\n')
          .map((line) => `${path}: ${line}`),
  )

/** Code in backticks is a public name, which stays. */
const withoutCode = (text: string) => text.replaceAll(/`[^`\n]*`/g, '`…`')

const offenders = (texts: readonly string[]) =>
  texts.filter((text) => [STOPPED_WORDS, REPLACED_PHRASES].some((pattern) => pattern.test(withoutCode(text))))

const texts: Record<string, () => string[]> = {
  'openapi.json': () => sentencesIn(JSON.parse(read('openapi.json'))),
  'asyncapi.json': () => sentencesIn(JSON.parse(read('asyncapi.json'))),
  'error declarations': () => allErrors().flatMap(({ title, says, cause, fix }) => [title, says, cause, fix]),
  'the payment page': () => stringsIn(payTexts),
  'order notices': () => linesOf('src/orders/notices/notice-texts.ts'),
  'templates of the simulator': () => linesOf('src/channels/connectors/simulator/templates.ts'),
  mails: () => linesOf('src/accounts/people/people-mails.ts'),
  'sentences of explanations': () => linesOf('src/webhooks/explain/*.ts'),
  'sentences of certifications': () => linesOf('src/webhooks/certification/*.ts'),
  'tools of /mcp': () => stringsIn([toolTexts, sharedArguments]),
  'help of the commands': () => [overview(), ...allCommands.map(({ name }) => helpFor(name.split(' ')) ?? '')],
  README: () => linesOf('README.md'),
  docs: () =>
    ['guides', 'concepts', 'reference', 'id/guides', 'id/reference'].flatMap((folder) =>
      linesOf(`docs/${folder}/*.md`),
    ),
  examples: () => linesOf('examples/**/*.md').filter((line) => !line.includes('node_modules/')),
}

describe('texts that people read', () => {
  test.each(Object.keys(texts))('%s: no other word for a state or action, and no stopped word', (source) => {
    expect(offenders(texts[source]?.() ?? [])).toEqual([])
  })
})

describe('states', () => {
  test('have their names on the reference page', () => {
    const page = read('docs/reference/order-states.md')
    const { order, orderPayment, payment, refund } = stateNames
    for (const [title, states] of Object.entries({
      Order: order,
      'Payment status of an order': orderPayment,
      Payment: payment,
      Refund: refund,
    })) {
      const section = page.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? ''
      for (const [state, { en }] of Object.entries(states)) expect(section).toContain(`| \`${state}\` | ${en} |`)
    }
  })

  const { order, orderPayment, payment } = stateNames
  const titles: [keyof (typeof payTexts)['en']['states'], Name][] = [
    ['payable', order.pending_payment],
    ['partly_paid', orderPayment.partially_paid],
    ['paid', orderPayment.paid],
    ['refunded', orderPayment.refunded],
    ['reversed', orderPayment.reversed],
    ['expired', payment.expired],
    ['failed', payment.failed],
    ['preparing', payment.created],
    ['cancelled', order.cancelled],
  ]
  test.each(titles)('have their name on the payment page: %s', (state, name) => {
    for (const language of ['en', 'id'] as const)
      expect(payTexts[language].states[state].title.toLowerCase()).toContain(name[language].toLowerCase())
  })
})
