import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { useText } from '../text/text.tsx'
import { localeOf, SHOP_ZONE } from './Time.tsx'

/** One chart of uPlot: axes, a tooltip under the pointer, and the same tooltip by the arrow keys. */
type PlotProps = {
  kind: 'bars' | 'lines'
  label: string
  /** Seconds, ascending. */
  times: readonly number[]
  /** Seconds between two of them. */
  step: number
  series: readonly { name: string; color: string; values: (number | null)[] }[]
  format: (value: number) => string
  onPick?: (from: Date, to: Date) => void
}

const HEIGHT = 150
/** A chart has room for so many values, so that the first few are not drawn as slabs. */
const PLACES_MIN = 8
const DAY_SECONDS = 24 * 3600

export function Plot(props: PlotProps) {
  const { say, language } = useText()
  const scheme = useComputedColorScheme('light')
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef(props)
  latest.current = props
  const [index, setIndex] = useState<number | null>(null)
  const drawn = JSON.stringify([props.kind, props.times, props.series, language, scheme])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is compared by value, because callers build it anew with every render.
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const chart = new uPlot(
      optionsFor(latest.current, { element, locale: localeOf(language), onMove: setIndex }),
      stackedData(latest.current),
      element,
    )
    plot.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
      setIndex(null)
    }
  }, [drawn])
  const moveTo = (next: number) => {
    const { times } = props
    const at = Math.min(Math.max(next, 0), times.length - 1)
    const left = plot.current?.valToPos(times[at] ?? 0, 'x') ?? 0
    plot.current?.setCursor({ left, top: 10 })
  }
  const leave = () => plot.current?.setCursor({ left: -10, top: -10 })
  const onKeyDown = (event: KeyboardEvent) => {
    const last = props.times.length - 1
    const target = { ArrowLeft: (index ?? last + 1) - 1, ArrowRight: (index ?? -1) + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Escape') leave()
    if (target === undefined) return
    event.preventDefault()
    moveTo(target)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of fields it is not.
    <div
      className="chart-place"
      role="group"
      aria-label={say('chart.keys', { label: props.label })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values.
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={leave}
    >
      <div ref={place} />
      <div role="status">{index !== null && <Tip {...props} index={index} plot={plot.current} />}</div>
    </div>
  )
}

function Tip({ times, step, series, format, index, plot }: PlotProps & { index: number; plot: uPlot | null }) {
  const { language } = useText()
  const time = times[index]
  if (time === undefined || plot === null) return null
  const isDays = step >= DAY_SECONDS
  const when = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: 'medium',
    ...(!isDays && { timeStyle: 'short' }),
    timeZone: SHOP_ZONE,
  })
  const x = plot.valToPos(time, 'x') + plot.bbox.left / devicePixelRatio
  const isRight = x > plot.width / 2
  return (
    <div className="chart-tip" style={isRight ? { right: plot.width - x + 10 } : { left: x + 10 }}>
      <strong>{when.format(new Date(time * 1000))}</strong>
      {series.map(({ name, color, values }) => {
        const value = values[index]
        return (
          <div key={name}>
            <span className="dot" style={{ '--dot': color }}>
              {name}
            </span>
            <span className="figures">{value === null || value === undefined ? '—' : format(value)}</span>
          </div>
        )
      })}
    </div>
  )
}

/** Each series on top of those before it; the tallest comes first, so that the others are drawn over it. */
function stackedData({ kind, times, series }: PlotProps): uPlot.AlignedData {
  if (kind === 'lines') return [[...times], ...series.map(({ values }) => values)]
  const sums = series.map((_, last) =>
    times.map((_, at) => series.slice(0, last + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  )
  return [[...times], ...sums.reverse()]
}

type Surroundings = { element: HTMLElement; locale: string; onMove: (index: number | null) => void }

function optionsFor(props: PlotProps, { element, locale, onMove }: Surroundings): uPlot.Options {
  const { kind, times, step } = props
  const colorOf = (color: string) =>
    color.replace(/^var\((.+)\)$/, (_, name: string) => getComputedStyle(element).getPropertyValue(name))
  const first = times[0] ?? 0
  const compact = new Intl.NumberFormat(locale, { notation: 'compact' })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: SHOP_ZONE })
  const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: SHOP_ZONE })
  const isWithinDay = (times.at(-1) ?? 0) - first <= DAY_SECONDS && step < DAY_SECONDS
  const axis = { stroke: colorOf('var(--quiet)'), font: `11px ${getComputedStyle(element).fontFamily}` }
  const line = { stroke: colorOf('var(--line)'), width: 1 }
  const series = kind === 'bars' ? [...props.series].reverse() : props.series
  return {
    width: element.clientWidth,
    height: HEIGHT,
    // At the right, half of the longest time below the axis.
    padding: [10, 18, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), SHOP_ZONE),
    cursor: {
      y: false,
      points: { show: kind === 'lines' },
      drag: { x: props.onPick !== undefined, y: false, setScale: false },
    },
    scales: {
      x: { range: [first - step / 2, first + step * (Math.max(times.length, PLACES_MIN) - 0.5)] },
      y: { range: (_, __, highest) => [0, (highest || 1) * 1.08] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 4,
        space: 64,
        grid: { show: false },
        ticks: { ...line, size: 4 },
        values: (_, splits) =>
          splits.map((seconds) => (isWithinDay ? hour : day).format(new Date(seconds * 1000))).map(unlessRepeated),
      },
      {
        ...axis,
        size: 40,
        gap: 4,
        space: 32,
        grid: line,
        ticks: { show: false },
        values: (_, splits) => splits.map((value) => compact.format(value)),
        ...(kind === 'bars' && { incrs: WHOLE_STEPS }),
      },
    ],
    series: [
      {},
      ...series.map(({ color }) =>
        kind === 'bars'
          ? { fill: colorOf(color), width: 0, paths: barPaths, points: { show: false } }
          : { stroke: colorOf(color), width: 2, points: { size: 5, fill: colorOf(color) } },
      ),
    ],
    hooks: {
      setCursor: [({ cursor }) => onMove(cursor.left === undefined || cursor.left < 0 ? null : (cursor.idx ?? null))],
      ...(props.onPick && {
        setSelect: [
          (chart: uPlot) => {
            const { left, width } = chart.select
            const timeAt = (x: number) => new Date(chart.posToVal(x, 'x') * 1000)
            if (width > 0) props.onPick?.(timeAt(left), timeAt(left + width))
          },
        ],
      }),
    },
  }
}

const barPaths = uPlot.paths.bars?.({ size: [0.78, 36], radius: 0.12 }) as uPlot.Series.PathBuilder
/** Of counts and of rupiah there are no parts. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((first) => Array.from({ length: 14 }, (_, power) => first * 10 ** power))
  .sort((a, b) => a - b)

/** A day is written once, however many marks it has. */
const unlessRepeated = (words: string, index: number, all: readonly string[]) => (all[index - 1] === words ? '' : words)
