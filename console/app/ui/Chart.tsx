import { lazy, Suspense } from 'react'
import { useText } from '../text/text.tsx'
import { localeOf } from './Time.tsx'

/** Charts over time. The library that draws them is loaded with the first chart that has something to show. */
const Plot = lazy(async () => ({ default: (await import('./Plot.tsx')).Plot }))

type Series<Bucket> = { name: string; color: string; value: (bucket: Bucket) => number | null }

type ChartProps<Bucket> = {
  label: string
  /** Complete and oldest first, as the server sends them. */
  buckets: readonly Bucket[]
  series: readonly Series<Bucket>[]
  /** A value in the tooltip. */
  format?: (value: number) => string
  /** Shows the label above the chart, where no heading names it. */
  isTitled?: boolean
  /** Dragging over the chart picks a period. */
  onPick?: (from: Date, to: Date) => void
}

/** Stacked bars of counts or amounts. */
export const Bars = <Bucket extends { at: string }>(props: ChartProps<Bucket>) => <Chart {...props} kind="bars" />

/** Lines, with a gap where there was nothing to measure. */
export function Lines<Bucket extends { at: string }>({ unit, ...props }: ChartProps<Bucket> & { unit: string }) {
  const { language } = useText()
  const number = new Intl.NumberFormat(localeOf(language), { maximumSignificantDigits: 3 })
  const title = `${props.label} (${unit})`
  return <Chart {...props} title={title} kind="lines" format={(value) => `${number.format(value)} ${unit}`} />
}

function Chart<Bucket extends { at: string }>({
  kind,
  label,
  title = label,
  isTitled = false,
  buckets,
  series,
  format,
  onPick,
}: ChartProps<Bucket> & { kind: 'bars' | 'lines'; title?: string }) {
  const { say, language } = useText()
  const shown = fromFirstValue(buckets, series)
  const number = new Intl.NumberFormat(localeOf(language))
  return (
    <figure className="chart" aria-label={label}>
      {isTitled && <div className="chart-title">{title}</div>}
      {shown.length === 0 ? (
        <div className="chart-place chart-empty">{say('chart.empty')}</div>
      ) : (
        <Suspense fallback={<div className="chart-place" />}>
          <Plot
            kind={kind}
            label={label}
            times={shown.map(secondsOf)}
            step={stepOf(buckets)}
            series={series.map(({ name, color, value }) => ({ name, color, values: shown.map(value) }))}
            format={format ?? number.format}
            {...(onPick && { onPick })}
          />
        </Suspense>
      )}
      <figcaption>
        {series.map(({ name, color }) => (
          <span key={name} className="dot" style={{ '--dot': color }}>
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const secondsOf = ({ at }: { at: string }) => Date.parse(at) / 1000
const stepOf = ([first, second]: readonly { at: string }[]) =>
  first === undefined || second === undefined ? 3600 : secondsOf(second) - secondsOf(first)

/** A chart begins with the first value; what is empty before it says nothing. */
export function fromFirstValue<Bucket>(buckets: readonly Bucket[], series: readonly Series<Bucket>[]): Bucket[] {
  const first = buckets.findIndex((bucket) => series.some(({ value }) => (value(bucket) ?? 0) !== 0))
  return first === -1 ? [] : buckets.slice(first)
}
