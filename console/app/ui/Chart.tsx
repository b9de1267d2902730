import { useText } from '../text/text.tsx'
import { localeOf, SHOP_ZONE } from './Time.tsx'

/** Bars over time, stacked, drawn as one picture with a sentence for those who cannot see it. */
export type Series<Bucket> = { name: string; color: string; value: (bucket: Bucket) => number }

const WIDTH = 480
const HEIGHT = 120

export function Bars<Bucket extends { at: string }>(props: {
  label: string
  buckets: readonly Bucket[]
  series: readonly Series<Bucket>[]
  format?: (value: number) => string
}) {
  const { say, language } = useText()
  const { buckets, series, format = String } = props
  const highest = Math.max(1, ...buckets.map((bucket) => series.reduce((sum, { value }) => sum + value(bucket), 0)))
  const hasAny = buckets.some((bucket) => series.some(({ value }) => value(bucket) > 0))
  const step = WIDTH / Math.max(buckets.length, 1)
  const when = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: SHOP_ZONE,
  })
  const titleOf = (bucket: Bucket) =>
    `${when.format(new Date(bucket.at))}: ${series.map((one) => `${one.name} ${format(one.value(bucket))}`).join(', ')}`
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={props.label}>
        <title>{props.label}</title>
        {buckets.map((bucket, index) => (
          <g key={bucket.at}>
            <title>{titleOf(bucket)}</title>
            <rect x={index * step} y={0} width={step} height={HEIGHT} fill="transparent" />
            <Stack bucket={bucket} series={series} x={index * step} width={Math.max(step - 2, 1)} highest={highest} />
          </g>
        ))}
      </svg>
      <Axis buckets={buckets} />
      <figcaption>
        {series.map(({ name, color }) => (
          <span key={name} className="dot" style={{ '--dot': color }}>
            {name}
          </span>
        ))}
        {hasAny && <span className="quiet">{say('home.highest', { value: format(highest) })}</span>}
      </figcaption>
    </figure>
  )
}

/** Where the picture begins and ends. A day is labelled in hours, more in days. */
function Axis({ buckets }: { buckets: readonly { at: string }[] }) {
  const { say, language } = useText()
  const [first] = buckets
  if (first === undefined) return null
  const isShort = Date.now() - Date.parse(first.at) <= DAY_AND_A_BIT_MS
  const format = new Intl.DateTimeFormat(localeOf(language), {
    ...(isShort ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
    timeZone: SHOP_ZONE,
  })
  return (
    <div className="chart-axis">
      <span>{format.format(new Date(first.at))}</span>
      <span>{say('home.now')}</span>
    </div>
  )
}

const DAY_AND_A_BIT_MS = 26 * 3600 * 1000

function Stack<Bucket>(props: {
  bucket: Bucket
  series: readonly Series<Bucket>[]
  x: number
  width: number
  highest: number
}) {
  let top = HEIGHT
  return props.series.map(({ name, color, value }) => {
    const height = (value(props.bucket) / props.highest) * (HEIGHT - 4)
    top -= height
    return height === 0 ? null : (
      <rect key={name} x={props.x} y={top} width={props.width} height={Math.max(height, 1)} rx={1} fill={color} />
    )
  })
}

/** Lines over time; a gap where there was nothing to measure. */
export function Lines<Bucket extends { at: string }>(props: {
  label: string
  buckets: readonly Bucket[]
  series: readonly { name: string; color: string; value: (bucket: Bucket) => number | null }[]
  unit: string
}) {
  const { buckets, series } = props
  const highest = Math.max(0.001, ...buckets.flatMap((bucket) => series.map(({ value }) => value(bucket) ?? 0)))
  const step = WIDTH / Math.max(buckets.length, 1)
  const hasAny = buckets.some((bucket) => series.some(({ value }) => value(bucket) !== null))
  const pathOf = (value: (bucket: Bucket) => number | null) => {
    let isDown = false
    return buckets
      .map((bucket, index) => {
        const one = value(bucket)
        if (one === null) {
          isDown = false
          return ''
        }
        const point = `${isDown ? 'L' : 'M'}${index * step + step / 2} ${HEIGHT - 3 - (one / highest) * (HEIGHT - 8)}`
        // A lone value is drawn as a dot: a line of no length with round ends.
        const lone = isDown ? '' : 'h0.01'
        isDown = true
        return point + lone
      })
      .join(' ')
  }
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={props.label}>
        <title>{props.label}</title>
        {series.map(({ name, color, value }) => (
          <path
            key={name}
            d={pathOf(value)}
            fill="none"
            stroke={color}
            strokeWidth="2"
            strokeLinecap="round"
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <Axis buckets={buckets} />
      <figcaption>
        {series.map(({ name, color }) => (
          <span key={name} className="dot" style={{ '--dot': color }}>
            {name}
          </span>
        ))}
        {hasAny && (
          <span className="quiet">
            ≤ {highest < 10 ? highest.toFixed(1) : Math.round(highest)} {props.unit}
          </span>
        )}
      </figcaption>
    </figure>
  )
}
