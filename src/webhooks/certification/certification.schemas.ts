import { z } from 'zod'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { type BugCode, bugs, type Grade } from './bugs.ts'
import { probeNames } from './probes.ts'

/** Public shapes of certifications. The report is stored in the shape in which it is shown. */
const grades = ['A', 'B', 'C', 'D', 'F'] as const satisfies Grade[]
const bugCodes = Object.keys(bugs) as [BugCode, ...BugCode[]]
const probeName = z.enum(probeNames)

const Exchange = z
  .object({
    sent: z.object({
      signed_headers: z
        .record(z.string().max(100), textSchema(1000))
        .meta({ maxProperties: 10, description: 'The signed headers as they were sent.' }),
      body_bytes: z.int().min(0).max(1_000_000),
      body: textSchema(500).meta({ description: 'The first characters of the body.' }),
    }),
    received: z.object({
      status: z.int().min(100).max(999).nullable(),
      error_class: textSchema(50).nullable().meta({ description: 'Why there was no complete response.' }),
      error_detail: textSchema(500).nullable(),
      location: textSchema(2048).nullable().meta({ description: 'Where a redirect points to.' }),
      body: textSchema(500).nullable().meta({ description: 'The first characters of the response.' }),
      total_ms: z.number().min(0).max(3_600_000),
    }),
  })
  .meta({ id: 'WebhookProbeExchange', description: 'One request of a probe and its response.' })

const Probe = z
  .object({
    name: probeName,
    title: textSchema(200).meta({ description: 'What was sent.' }),
    expected: textSchema(200).meta({ description: 'What a correct receiver does.' }),
    verdict: z.enum(['pass', 'warn', 'fail', 'skipped']),
    likely_bug: textSchema(1000).nullable(),
    detail: textSchema(500).nullable(),
    exchanges: z.array(Exchange).max(10),
  })
  .meta({ id: 'WebhookProbe', description: 'One test of the receiver.' })

const Trial = z
  .object({
    bug: z.enum(bugCodes).meta({ description: 'The bug with which a receiver would accept this message.' }),
    title: textSchema(200),
    is_accepted: z.boolean(),
    exchange: Exchange,
  })
  .meta({ id: 'WebhookTrial', description: 'A message signed as a receiver with a certain bug would expect it.' })

const LikelyBug = z
  .object({
    code: z.enum(bugCodes),
    severity: z.enum(['critical', 'serious', 'minor']),
    says: textSchema(1000).meta({ description: 'What is probably wrong and what to do.' }),
    probes: z.array(probeName).max(probeNames.length).meta({ description: 'The probes that showed it.' }),
  })
  .meta({ id: 'WebhookLikelyBug', description: 'A bug of the receiver that explains the results.' })

const Report = z.object({
  grade: z.enum(grades).meta({
    description:
      'A: correct. B: minor issues. C: one serious bug. D: several serious bugs. F: accepts forged events, or rejects genuine ones.',
  }),
  summary: textSchema(2000),
  likely_bugs: z.array(LikelyBug).max(50).meta({ description: 'Worst first.' }),
  probes: z.array(Probe).max(50),
  trials: z.array(Trial).max(100).meta({ description: 'Sent only when a plain event was refused, to find out why.' }),
})

export type CertificationReport = z.input<typeof Report>

export const Certification = z
  .object({
    object: z.literal('webhook_certification'),
    id: idSchema('job'),
    endpoint_id: idSchema('wep'),
    status: z.enum(['pending', 'running', 'completed', 'failed']),
    failure: textSchema(200).nullable().meta({ description: 'Why there is no report.' }),
    grade: Report.shape.grade.nullable(),
    summary: Report.shape.summary.nullable(),
    likely_bugs: Report.shape.likely_bugs,
    probes: Report.shape.probes,
    trials: Report.shape.trials,
    created_at: timeSchema,
    started_at: timeSchema.nullable(),
    completed_at: timeSchema.nullable(),
  })
  .meta({
    id: 'WebhookCertification',
    description: 'The graded test of a receiver, with its likely bugs.',
  })

export const pendingExample = {
  object: 'webhook_certification' as const,
  id: 'job_01k9x3m5q8e0t9v7a2b4c6d8fg',
  endpoint_id: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg',
  status: 'pending' as const,
  failure: null,
  grade: null,
  summary: null,
  likely_bugs: [],
  probes: [],
  trials: [],
  created_at: '2026-11-14T09:30:00.000Z',
  started_at: null,
  completed_at: null,
}

export const completedExample = {
  ...pendingExample,
  status: 'completed' as const,
  grade: 'C' as const,
  summary: `The receiver works and has one serious bug. ${bugs.no_timestamp_check.says}`,
  likely_bugs: [
    {
      code: 'no_timestamp_check' as const,
      ...bugs.no_timestamp_check,
      probes: ['old_timestamp' as const, 'future_timestamp' as const],
    },
  ],
  probes: [
    {
      name: 'old_timestamp' as const,
      title: 'Correctly signed ten minutes ago',
      expected: 'status 401 or 400',
      verdict: 'fail' as const,
      likely_bug: bugs.no_timestamp_check.says,
      detail: null,
      exchanges: [
        {
          sent: {
            signed_headers: {
              'webhook-id': 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
              'webhook-timestamp': '1794648000',
              'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
            },
            body_bytes: 512,
            body: '{"object":"event","id":"evt_01k9x3m5q8e0t9v7a2b4c6d8fg","type":"order.paid"',
          },
          received: { status: 200, error_class: null, error_detail: null, location: null, body: 'ok', total_ms: 12.5 },
        },
      ],
    },
  ],
  started_at: '2026-11-14T09:30:00.120Z',
  completed_at: '2026-11-14T09:30:02.640Z',
}
