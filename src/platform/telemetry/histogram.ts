/** How long things took, by bucket. Plain numbers, because it is written to on hot paths and read once per scrape. */
export class Histogram {
  /** Upper bounds in seconds, rising. */
  readonly bounds: readonly number[]
  readonly #counts: number[]
  #sumSeconds = 0
  #count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(seconds: number): void {
    let bucket = 0
    while (seconds > (this.bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    if (bucket < this.#counts.length) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sumSeconds += seconds
    this.#count += 1
  }

  /** As Prometheus wants it: each bucket holds all below it too. */
  samples(name: string, labels: Record<string, string> = {}) {
    let below = 0
    const buckets = this.bounds.map((le, index) => {
      below += this.#counts[index] ?? 0
      return { metricName: `${name}_bucket`, labels: { ...labels, le: String(le) }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#sumSeconds },
      { metricName: `${name}_count`, labels, value: this.#count },
    ]
  }
}
